// What a test of the pages evaluates: whatever of a state of the play page people could not read, see or tap.
() => {
  const found = [];
  const name = (node) => `${node.tagName.toLowerCase()}${node.id ? `#${node.id}` : ""}${[...node.classList].map((c) => `.${c}`).join("")}`;
  const words = (node) => (node.getAttribute("aria-label") || node.textContent.trim() || node.id || "").replace(/\s+/g, " ").slice(0, 50);
  const seen = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0;
  const box = (node) => node.getBoundingClientRect();
  const tell = (rule, node, more = "") => found.push(`${rule}: ${name(node)} "${words(node)}"${more && ` ${more}`}`);
  const dialog = document.querySelector("dialog[open]");
  const root = dialog ?? document.body;
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`the page is ${wide} px wider than the window`);
  // Text stays within what clips it, and within the control that it stands on.
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const clips = new Map();
  const clipOf = (node) => {
    if (!clips.has(node)) {
      const style = getComputedStyle(node);
      const holds = node.matches("button, summary, section, dialog") || ["hidden", "clip"].includes(style.overflowX);
      // What can be scrolled sideways shows all of it.
      const scrolls = ["auto", "scroll"].includes(style.overflowX) && node.scrollWidth > node.clientWidth + 1 && node.matches(".scrolls, #order");
      clips.set(node, scrolls ? null : holds ? node : node.parentElement ? clipOf(node.parentElement) : null);
    }
    return clips.get(node);
  };
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const parent = text.parentElement;
    if (!text.textContent.trim() || parent.closest("svg, script, style, select, .unseen, .skip") || !seen(parent)) continue;
    // A folded outcome is a line that opens: what is beyond its end is told by a tap.
    if (parent.closest("#result summary")) continue;
    const clip = clipOf(parent);
    // What only a screen reader is told has no room at all.
    if (!clip || box(clip).width < 3) continue;
    range.selectNodeContents(text);
    const [t, c] = [range.getBoundingClientRect(), box(clip)];
    if (t.left < c.left - 1.5 || t.right > c.right + 1.5 || (clip.matches("button") && (t.top < c.top - 1.5 || t.bottom > c.bottom + 1.5))) tell("text is cut", parent, `by ${name(clip)}`);
  }
  const controls = [...root.querySelectorAll("button, summary, select, input, a.button, a.go, label.tick")].filter(seen);
  const targets = controls.filter((node) => !node.matches("label input, .tick input"));
  for (const node of targets) {
    const { width, height } = box(node.closest("label.rule, label.arm") ?? node);
    if (width < 39.5 || height < 39.5) tell("a small target", node, `${Math.round(width)}x${Math.round(height)}`);
  }
  const shared = (a, b) => [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
  // Of what scrolls within a card no more is there than is shown.
  const shown = (node) => {
    let { left, right, top, bottom } = box(node);
    for (let up = node.parentElement; up && !up.matches("section, aside, dialog, body"); up = up.parentElement) {
      if (getComputedStyle(up).overflowY === "visible") continue;
      const b = box(up);
      [left, right, top, bottom] = [Math.max(left, b.left), Math.min(right, b.right), Math.max(top, b.top), Math.min(bottom, b.bottom)];
    }
    return { left, right, top, bottom };
  };
  const boxes = new Map();
  const kept = (node) => boxes.get(node) ?? boxes.set(node, shown(node)).get(node);
  const over = (a, b) => shared(kept(a), kept(b)).every((px) => px > 1.5);
  const apart = (nodes, rule) => nodes.forEach((a, k) => nodes.slice(k + 1).forEach((b) => {
    if (!a.contains(b) && !b.contains(a) && over(a, b)) tell(rule, a, `and ${name(b)} "${words(b)}"`);
  }));
  // What stays in view lies over what scrolls below it, and is held against itself alone.
  const stays = "#pin, #turn, header.top, dialog";
  for (const part of [...new Set(controls.map((c) => c.closest(stays)))]) apart(controls.filter((c) => c.closest(stays) === part), "one button under another");
  apart([...document.querySelectorAll("main aside section:not(#pin, #turn), .sheet, .sheets > *")].filter(seen), "cards overlap");
  for (const field of root.querySelectorAll('.field[data-lacks="true"]')) {
    const label = field.querySelector(".label");
    if (seen(field) && (!label || getComputedStyle(label, "::after").content === "none")) tell("must be chosen and is not marked", field);
  }
  return [...new Set(found)];
}
