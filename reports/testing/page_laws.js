// What holds on every page, as expressions that give a list of what is wrong.
(() => {
  const parse = (text) => {
    const numbers = (text.match(/-?[\d.]+(e-?\d+)?%?/g) ?? []).map(parseFloat);
    if (text.startsWith("color(srgb")) {
      const [r, g, b, a = 1] = numbers;
      return [255 * r, 255 * g, 255 * b, a];
    }
    const [r = 0, g = 0, b = 0, a = 1] = numbers;
    return text === "transparent" ? [0, 0, 0, 0] : [r, g, b, a];
  };
  const over = (top, bottom) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * bottom[i])
    .concat([1]);
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const box = at.namespaceURI.endsWith("svg") && at.tagName === "g" ? at.querySelector("rect") : null;
      layers.push(parse(box ? getComputedStyle(box).fill : getComputedStyle(at).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    let colour = dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
    for (const layer of layers.reverse()) colour = over(layer, colour);
    return colour;
  };
  // WCAG 2.1, 1.4.3: 4.5 to 1, for large text 3 to 1.
  const weakText = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const weak = [];
    for (let seen = 0; walker.nextNode() && seen < 6000;) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !element.checkVisibility({checkVisibilityCSS: true}) ||
          ["SCRIPT", "STYLE", "TITLE", "title", "OPTION"].includes(element.tagName)) continue;
      ++seen;
      const style = getComputedStyle(element);
      const back = ground(element);
      const text = over(parse(element.namespaceURI.endsWith("svg") ? style.fill : style.color), back);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const ratio = contrast(text, back);
      if (ratio < (large ? 3 : 4.5)) {
        weak.push(`contrast ${ratio.toFixed(2)}: "${walker.currentNode.data.trim().slice(0, 30)}" in ` +
                  `${element.tagName}.${element.getAttribute("class")}`);
      }
    }
    return [...new Set(weak)].slice(0, 5);
  };
  const tooWide = () => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const inScroller = (element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
      }
      return false;
    };
    const wide = [...document.body.querySelectorAll("*")].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1 && !inScroller(element));
    return [`${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}: ` +
            wide.slice(0, 3).map((element) => `${element.tagName}.${element.className}`)];
  };
  window.pageLaws = {weakText, tooWide};
})();
