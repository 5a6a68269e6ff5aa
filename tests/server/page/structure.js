/** What a screen reader would be told wrongly of a page's structure, each in a line. */
() => {
  const seen = (node) => node.checkVisibility?.() ?? true;
  const name = (node) => `${node.tagName.toLowerCase()}${node.id ? `#${node.id}` : ""}`;
  const wrong = [];
  for (const list of document.querySelectorAll("ul, ol")) {
    if (list.hasAttribute("role") && list.getAttribute("role") !== "list") wrong.push(`${name(list)} is no list`);
    for (const child of list.children) if (child.tagName !== "LI") wrong.push(`${name(child)} in ${name(list)}`);
  }
  for (const item of document.querySelectorAll("li")) {
    if (!["UL", "OL"].includes(item.parentElement.tagName)) wrong.push(`${name(item)} outside a list`);
  }
  const count = (what) => [...document.querySelectorAll(what)].filter(seen).length;
  if (count("main, [role=main]") !== 1) wrong.push(`${count("main, [role=main]")} main landmarks`);
  if (count("h1") !== 1) wrong.push(`${count("h1")} headings of the page`);
  for (const link of document.querySelectorAll("a.skip")) {
    const to = document.querySelector(link.getAttribute("href"));
    if (!to || !seen(to)) wrong.push(`${link.textContent} leads nowhere`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push(`two #${id}`);
  return wrong;
}
