/** The search of the documentation: every word has to be in a section; those with a word in their heading come first. */
const input = document.getElementById('query');
const list = document.getElementById('found');
const up = document.documentElement.dataset.up;
const MOST = 12;
const AROUND = 60;

// On a phone the pages are behind their summary.
if (matchMedia('(width < 56rem)').matches) document.querySelector('.menu').open = false;

let loading;
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${up}/search-index.js`;
    script.addEventListener('load', () => resolve(globalThis.searchIndex));
    script.addEventListener('error', reject);
    document.head.append(script);
  });
  return loading;
}

function matches(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return index
    .map((section) => {
      const heading = `${section.page} ${section.heading}`.toLowerCase();
      const text = section.text.toLowerCase();
      if (!words.every((word) => heading.includes(word) || text.includes(word))) return undefined;
      const score = words.filter((word) => heading.includes(word)).length;
      const at = Math.max(0, text.indexOf(words.find((word) => !heading.includes(word)) ?? words[0]) - AROUND);
      return { ...section, score, excerpt: section.text.slice(at, at + 3 * AROUND) };
    })
    .filter(Boolean)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST);
}

function show(found) {
  list.hidden = found === undefined;
  list.replaceChildren(
    ...(found ?? []).map(({ page, heading, href, excerpt }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      const small = document.createElement('small');
      link.href = `${up}/${href}`;
      link.textContent = page === heading ? page : `${page}: ${heading}`;
      small.textContent = excerpt;
      link.append(small);
      item.append(link);
      return item;
    }),
  );
  if (found?.length === 0) {
    const none = document.createElement('li');
    none.className = 'none';
    none.textContent = 'Nothing has all of these words.';
    list.append(none);
  }
}

input.addEventListener('input', async () => show(matches(await load(), input.value)));
list.addEventListener('click', () => show(undefined));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    show(undefined);
    input.blur();
  } else if (event.key === '/' && event.target === document.body) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'ArrowDown' && event.target === input) {
    event.preventDefault();
    list.querySelector('a')?.focus();
  }
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('search')) show(undefined);
});
