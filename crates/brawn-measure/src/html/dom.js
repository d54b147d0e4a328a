// Elements, the tooltip, and buttons that copy.

/** An element with attributes and children; text is never read as markup. */
function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same in SVG. */
function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** Text in which `backticks` set code. */
function prose(text) {
  return text.split("`").map((part, index, all) => (index % 2 && index < all.length - 1 ? element("code", {}, part) : part));
}

/** Outline of a mark around (x, y), with about the same area for every form. */
function markPath(form, x, y, size = 5) {
  const polygon = (...points) => `M${points.map(([px, py]) => `${x + px * size},${y + py * size}`).join("L")}Z`;
  switch (form) {
    case "square": return polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]);
    case "triangle": return polygon([0, -1.2], [1.15, 0.85], [-1.15, 0.85]);
    case "wedge": return polygon([0, 1.2], [1.15, -0.85], [-1.15, -0.85]);
    case "diamond": return polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]);
    case "plus": {
      const [a, b] = [0.42, 1.2];
      return polygon([-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]);
    }
    case "star":
      return polygon(...Array.from({ length: 10 }, (_, index) => {
        const [radius, angle] = [index % 2 ? 0.62 : 1.35, (index * Math.PI) / 5];
        return [radius * Math.sin(angle), -radius * Math.cos(angle)];
      }));
    default:
      return `M${x - size},${y}a${size},${size} 0 1 0 ${2 * size},0a${size},${size} 0 1 0 ${-2 * size},0Z`;
  }
}

/** The mark of a variant as a small picture beside its name. */
function swatch(variant) {
  return shape("svg", { class: "swatch", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    shape("path", { d: markPath(variant.shape, 8, 8, 5.4), fill: variant.colour }));
}

/** A button that copies `text`; where the clipboard is out of reach, it selects the text instead. */
function copyButton(text, label) {
  const button = element("button", { class: "copy", type: "button", "aria-label": `${label}: ${text}`, title: text }, "copy");
  button.addEventListener("click", async () => {
    let said = "copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page opened from a file may not use the clipboard in some browsers.
      const area = element("textarea", { readonly: true }, text);
      document.body.append(area);
      area.select();
      if (!document.execCommand("copy")) said = "not allowed";
      area.remove();
    }
    button.textContent = said;
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  return button;
}

const tooltip = document.getElementById("tooltip");

/** Shows the lines at a place of the window, inside of it; the first line is the heading. */
function showTooltip([heading, ...lines], x, y) {
  tooltip.replaceChildren(element("strong", {}, heading), ...lines.map((line) => element("span", {}, line)));
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const [right, bottom] = [document.documentElement.clientWidth, window.innerHeight];
  const left = Math.min(Math.max(x - width / 2, 8), right - width - 8);
  const above = y - height - 14;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${above > 8 ? above : Math.min(y + 18, bottom - height - 8)}px`;
}

function hideTooltip() {
  tooltip.hidden = true;
}

/**
 * Makes the marks of a chart answer: to a pointer or a finger near them, and to the arrow keys once the chart has the
 * focus. A mark is `{x, y, lines, node}` in the coordinates of the picture; `reach` is how far a pointer may be.
 */
function answer(picture, marks, reach = 28) {
  let current = -1;
  const leave = () => {
    marks[current]?.node.classList.remove("current");
    current = -1;
    hideTooltip();
  };
  const choose = (index) => {
    if (index === current) return;
    marks[current]?.node.classList.remove("current");
    current = index;
    const mark = marks[index];
    mark.node.classList.add("current");
    const box = picture.getBoundingClientRect();
    showTooltip(mark.lines, box.left + mark.x, box.top + mark.y);
  };
  const near = (event) => {
    const box = picture.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, distance] = [-1, reach];
    marks.forEach((mark, index) => {
      // A bar is as near as its nearest point.
      const dx = mark.from === undefined ? x - mark.x : Math.max(mark.from - x, 0, x - mark.to);
      const away = Math.hypot(dx, y - mark.y);
      if (away < distance) [best, distance] = [index, away];
    });
    if (best < 0) leave();
    else choose(best);
  };
  picture.addEventListener("pointermove", near);
  picture.addEventListener("pointerdown", near);
  picture.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") leave(); });
  picture.addEventListener("blur", leave);
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") leave();
    if (!step || !marks.length) return;
    event.preventDefault();
    choose((Math.max(current, step > 0 ? -1 : 0) + step + marks.length) % marks.length);
  });
}
