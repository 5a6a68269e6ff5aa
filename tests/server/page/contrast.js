// What a test of the pages evaluates: each control in use, and its contrast with what lies around it.
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = (colour, under) => {
    canvas.clearRect(0, 0, 1, 1);
    if (under) { canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1); }
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const css = ([r, g, b]) => `rgb(${r}, ${g}, ${b})`;
  // What is painted behind an element: the nearest fill, blended over what lies under it.
  const behind = (node) => {
    if (!node) return css(rgba("Canvas"));
    return css(rgba(getComputedStyle(node).backgroundColor, behind(node.parentElement)));
  };
  const luminance = (colour) => {
    const [r, g, b] = rgba(colour).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const found = [];
  for (const node of document.querySelectorAll("button, select, input:not([type=checkbox], [type=radio], [type=range]), a.go, a.button")) {
    if (!node.checkVisibility() || node.disabled) continue;
    // A control that fills a framed box is known by the frame.
    const bare = getComputedStyle(node).borderTopWidth === "0px" && node.parentElement.clientWidth - node.offsetWidth < 2;
    const box = bare ? node.parentElement : node;
    const style = getComputedStyle(box);
    const around = behind(box.parentElement);
    // The weakest side counts; where one is bare, the fill alone.
    const fill = contrast(css(rgba(style.backgroundColor, around)), around);
    const sides = ["Top", "Right", "Bottom", "Left"].filter((s) => parseFloat(style[`border${s}Width`]) > 0);
    const border = sides.length < 4 ? 0 : Math.min(...sides.map((s) => contrast(css(rgba(style[`border${s}Color`], around)), around)));
    found.push({name: node.getAttribute("aria-label") || node.textContent.trim() || node.id, ratio: Math.max(fill, border)});
  }
  // Words are read against what is painted behind them; what cannot be used may be pale.
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const node = text.parentElement;
    if (!text.textContent.trim() || node.closest("svg, select, option, :disabled, script, style") || !node.checkVisibility({visibilityProperty: true})) continue;
    let opacity = 1;
    for (let up = node; up; up = up.parentElement) opacity *= Number(getComputedStyle(up).opacity);
    const under = behind(node);
    const style = getComputedStyle(node);
    // Letters with an outline of their own can be read on anything.
    if (style.textShadow !== "none") continue;
    const [r, g, b] = rgba(style.color);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    // As a share of what is asked for, so that both kinds are held against the same number.
    const asked = large ? 3 : 4.5;
    found.push({name: `words: ${text.textContent.trim().slice(0, 60)}`, ratio: 3 * contrast(css(rgba(`rgb(${r} ${g} ${b} / ${opacity})`, under)), under) / asked});
  }
  return found;
}
