import { hash } from 'node:crypto'

/** For light and dark, narrow and wide, screen and paper. It loads no font, colour or image from elsewhere. */
const style = `
:root { --ink: #1d2126; --soft: #59626e; --paper: #fff; --line: #d9dee5; --tint: #f4f6f9; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ed; --soft: #a3adba; --paper: #15181c; --line: #343b45; --tint: #1e2329; --link: #7fb8f5; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, main:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); }
h1 { margin: 0 0 .5rem; font-size: 2rem; }
header p { max-width: 46rem; }
section > h2 { margin: 3rem 0 .25rem; font-size: 1.5rem; border-bottom: 2px solid var(--line); }
article { margin: 1.75rem 0 2.5rem; }
h3 { margin: 0; font-size: 1.15rem; }
code { font: .9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.route { margin: .35rem 0; padding: .4rem .6rem; background: var(--tint); border-radius: .3rem; }
.route b { display: inline-block; min-width: 4.5rem; font: bold .85em ui-monospace, monospace; color: var(--soft); }
pre { margin: .4rem 0 .8rem; padding: .6rem .8rem; overflow-x: auto; background: var(--tint); border: 1px solid var(--line); border-radius: .3rem; }
pre code { overflow-wrap: normal; white-space: pre; }
.tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: center; padding: .6rem 0; background: var(--paper); border-bottom: 1px solid var(--line); }
.tools input[type=search] { flex: 1 1 16rem; padding: .4rem .6rem; color: inherit; background: var(--tint); border: 1px solid var(--line); border-radius: .3rem; font: inherit; }
.tools label { white-space: nowrap; }
.samples pre { display: none; }
body:has(#as-curl:checked) .curl, body:has(#as-node:checked) .node, body:has(#as-python:checked) .python { display: block; }
html { scroll-padding-top: 4.5rem; }
.none { display: none; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--soft); font-weight: 600; }
.type { color: var(--soft); }
.route .delete { color: #b3261e; }
@media (prefers-color-scheme: dark) { .route .delete { color: #ff8a80; } }
table { width: 100%; margin: .75rem 0; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; color: var(--soft); padding-bottom: .2rem; }
th, td { padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; text-align: left; overflow-wrap: anywhere; }
th { width: 18rem; font-weight: 400; }
th i { color: var(--soft); font-size: .85em; }
td p { margin: 0 0 .2rem; }
td ul { margin: .2rem 0; padding-left: 1.2rem; }
nav { margin: 2rem 0; columns: 16rem; font-size: .9rem; }
nav h2 { margin: 0; font-size: 1rem; break-after: avoid; }
nav ul { margin: 0 0 1rem; padding-left: 1rem; list-style: none; break-inside: avoid; }
@media (max-width: 40rem) {
  body { padding: 1rem; }
  th, td { display: block; width: auto; }
  td { border-top: 0; padding-top: 0; }
}
@media print {
  nav, .skip, .tools { display: none; }
  .samples pre { display: block; }
  body { max-width: none; font-size: 10pt; }
  article, tr { break-inside: avoid; }
}
`

/**
 * Shows the operations that contain every word of the search field. Without the script the page is complete, and the
 * field is hidden.
 */
const script = `
const field = document.getElementById('search');
const links = [...document.querySelectorAll('nav li a')];
const parts = [...document.querySelectorAll('main article')].map((element) => ({
  element,
  link: links.find((link) => link.hash === '#' + element.dataset.id).parentElement,
  text: element.textContent.toLowerCase(),
}));
const found = document.getElementById('found');
field.hidden = false;
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const { element, link, text } of parts) {
    const fits = words.every((word) => text.includes(word));
    if (fits) count++;
    element.classList.toggle('none', !fits);
    link.classList.toggle('none', !fits);
  }
  for (const section of document.querySelectorAll('main > section'))
    section.classList.toggle('none', words.length > 0 && section.querySelector('article:not(.none)') === null);
  found.textContent = words.length === 0 ? '' : count + ' of ' + parts.length;
});
`

const hashOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`

// Each on one line, so that formatting does not change the hashed text.
export const styleElement = `<style>${style}</style>`
export const scriptElement = `<script>${script}</script>`

/** The page loads nothing, and runs nothing but the script above. */
export const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
