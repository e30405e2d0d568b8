// The rules that every page must keep, as expressions that return a list of faults.
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
  // The colours that dichromats see, in linear light (Machado, Oliveira and Fernandes 2009,
  // severity 1).
  const SIGHT = {
    "full sight": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                 [-0.003882, -0.048116, 1.051998]],
    deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                   [-0.01182, 0.04294, 0.968881]],
    tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                 [0.004733, 0.691367, 0.3039]],
  };
  // CIE 1976 L*a*b* of a colour as a dichromat sees it.
  const seen = (colour, sight) => {
    const linear = colour.slice(0, 3).map((part) => part / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = sight.map((row) =>
      Math.min(1, Math.max(0, row.reduce((sum, weight, i) => sum + weight * linear[i], 0))));
    const f = (t) => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const SETS = [["attested", "rejected", "compiled", "dispatched", "correct", "known", "wrong"],
                ["series-0", "series-1", "series-2", "series-3"]];
  // Colours of one set that are closer than four just noticeable differences.
  const alike = (sets = SETS) => {
    const probe = document.body.appendChild(document.createElement("i"));
    const colourOf = (name) => {
      probe.style.background = name.startsWith("#") ? name : `var(--${name})`;
      return parse(getComputedStyle(probe).backgroundColor);
    };
    const near = [];
    for (const names of sets) {
      const colours = names.map((name) => [name, colourOf(name)]).filter(([, c]) => c[3] > 0);
      for (const [sight, matrix] of Object.entries(SIGHT)) {
        colours.forEach(([a, first], i) => colours.slice(i + 1).forEach(([b, second]) => {
          const other = seen(second, matrix);
          const far = Math.hypot(...seen(first, matrix).map((part, at) => part - other[at]));
          if (far < 10) near.push(`${a} and ${b} are alike (${far.toFixed(1)}) to ${sight}`);
        }));
      }
    }
    probe.remove();
    return near;
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
  // Letters of a plot that are lower than nine pixels, leave its picture, or cover each other.
  const unreadablePlots = () => {
    const faults = [];
    for (const svg of document.querySelectorAll("figure svg[viewBox]")) {
      const frame = svg.getBoundingClientRect();
      if (!svg.checkVisibility() || frame.width === 0) continue;
      const scale = frame.width / svg.viewBox.baseVal.width;
      const texts = [...svg.querySelectorAll("text")].map((node) =>
        ({text: node.textContent, box: node.getBoundingClientRect(),
          tall: scale * parseFloat(getComputedStyle(node).fontSize)}));
      texts.forEach(({text, box, tall}, i) => {
        if (tall < 9) faults.push(`"${text}" is ${tall.toFixed(1)} px tall`);
        if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(`"${text}" is cut off`);
        for (const {text: other, box: b} of texts.slice(i + 1)) {
          // The box of a text is higher than its letters, so the boxes of separate texts may
          // overlap a little.
          const covers = box.left < b.right - 1 && b.left < box.right - 1 &&
                         box.top < b.bottom - tall / 2 && b.top < box.bottom - tall / 2;
          if (covers) faults.push(`"${text}" and "${other}" cover each other`);
        }
      });
    }
    return [...new Set(faults)].slice(0, 5);
  };
  // Fields that are too narrow for a choice, if the chosen one is not beside the field in full.
  const cutChoices = () => [...document.querySelectorAll("select")].filter((select) => {
    if (!select.checkVisibility() || select.selectedIndex < 0) return false;
    const chosen = select.selectedOptions[0].textContent;
    const beside = [...select.labels].flatMap((label) => [...label.children]);
    if (beside.some((node) => node !== select && node.textContent === chosen)) return false;
    const {style, offsetWidth} = select, before = style.cssText;
    style.cssText += "; width: max-content; max-width: none";
    const cut = select.offsetWidth > offsetWidth + 1;
    style.cssText = before;
    return cut;
  }).map((select) => `a choice of ${select.id} is cut`);
  const ofEveryPage = () => [...tooWide(), ...weakText(), ...unreadablePlots(), ...cutChoices()];
  window.pageLaws = {alike, ofEveryPage};
})();
