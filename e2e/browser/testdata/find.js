const words = (e) => e.textContent.replace(/\s+/g, " ").trim();
const visible = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
const kinds = { button: "button, summary", link: "a", heading: "h1, h2, h3", label: "label" };
const find = (selector) => {
  const [, kind, text] = /^(\w+)=(.+)$/.exec(selector) ?? [];
  if (!kind) return document.querySelector(selector);
  return [...document.querySelectorAll(kinds[kind])].find((e) => visible(e) && words(e) === text) ?? null;
};
// shown is the text of the page as one sees it, in one line.
const shown = () => document.body.innerText.replace(/\s+/g, " ");
// place is where one clicks an element; null while something is in the way.
const place = (e) => {
  if (!e || !visible(e) || e.disabled) return null;
  e.scrollIntoView({ block: "center", behavior: "instant" });
  const r = e.getClientRects()[0], x = r.x + r.width / 2, y = r.y + r.height / 2;
  const top = document.elementFromPoint(x, y);
  return top && (e === top || e.contains(top)) ? [x, y] : null;
};
