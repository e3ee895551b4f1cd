/** Light and dark, narrow and wide, screen and paper; no font, colour or image from elsewhere. */
export const docsStyle = `
:root { --ink: #1d2126; --soft: #59626e; --paper: #fff; --line: #d9dee5; --tint: #f4f6f9; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ed; --soft: #a3adba; --paper: #15181c; --line: #343b45; --tint: #1e2329; --link: #7fb8f5; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
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
.route .delete { color: #b3261e; }
@media (prefers-color-scheme: dark) { .route .delete { color: #ff8a80; } }
table { width: 100%; margin: .75rem 0; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; color: var(--soft); padding-bottom: .2rem; }
th, td { padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; text-align: left; overflow-wrap: anywhere; }
th { width: 14rem; font-weight: 400; }
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
  nav, .skip { display: none; }
  body { max-width: none; font-size: 10pt; }
  article, tr { break-inside: avoid; }
}
`
