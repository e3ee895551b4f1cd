// node scripts/package/copyright.mjs FOLDER ROOT: writes the copyright holders and licences in the format of
// https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/, for the program that is packaged in FOLDER and
// was built in ROOT. Fails if a package names no licence.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bundledModules, moduleFolders } from './module-folders.mjs'

const [folder, root] = process.argv.slice(2)
const installed = 'usr/lib/strongroom'

/** Groups of packages with exactly the same licence text. */
const groups = new Map()
for (const { path, description } of moduleFolders(join(folder, 'node_modules'))) {
  const stanza = stanzaOf(path, description)
  const key = JSON.stringify([stanza.licence, stanza.copyright, stanza.text])
  const group = groups.get(key) ?? { ...stanza, files: [] }
  group.files.push(`${installed}/${relative(folder, path)}/*`)
  groups.set(key, group)
}

const bundled = bundledModules(root)
const paragraphs = [
  [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: Strongroom',
    'Comment: The packages of Node.js in it were taken from the npm registry, as sbom.cdx.json lists them.',
  ].join('\n'),
  paragraph({
    files: ['*'],
    copyright: ['The makers of Strongroom'],
    licence: 'Strongroom',
    text: 'All rights reserved. It may be used as agreed with its makers.',
  }),
  paragraph({
    files: [`${installed}/node/*`],
    copyright: ['Node.js contributors, and those whom the text below names'],
    licence: 'Node.js',
    text: withoutCommonTexts(readFileSync(join(folder, 'node/LICENSE'), 'utf8')),
  }),
  ...[...groups.values()].map(paragraph),
  bundleParagraph(['dist/web/*'], bundled.console),
  bundleParagraph(['dist/bin/*', 'dist/modules/*'], bundled.programs),
]
process.stdout.write(`${paragraphs.join('\n\n')}\n`)

/** The paragraph for bundled files, which contain parts of several packages: it has the licences of all of them. */
function bundleParagraph(files, modules) {
  const stanzas = modules.flatMap(({ name, path, description }) => [
    { name, ...stanzaOf(path, description) },
    ...(name === 'pdfjs-dist' ? decodersIn(path) : []),
  ])
  const unique = (values) => [...new Set(values)]
  const licences = unique(stanzas.map(({ licence }) => licence))
  const isChoice = (licence) => licence.includes(' or ')
  return paragraph({
    files: files.map((file) => `${installed}/${file}`),
    copyright: unique(stanzas.flatMap(({ copyright }) => copyright)),
    // Choices come last, because "or" has a lower precedence than "and" (§7.2 of the format).
    licence: [licences.filter((one) => !isChoice(one)).join(' and '), ...licences.filter(isChoice)].join(', and '),
    text: unique(stanzas.map(({ text }) => text))
      .map((text) => {
        const names = unique(stanzas.filter((stanza) => stanza.text === text).map(({ name }) => name))
        return `Of ${names.join(', ')}:\n\n${text.trim()}`
      })
      .join('\n\n'),
  })
}

/** The decoders of scanned images in pdf.js are from other projects, with licence files of their own. */
function decodersIn(path) {
  const parts = [
    ['PDFium', 'BSD-3-Clause', 'LICENSE_JBIG2'],
    ['OpenJPEG', 'BSD-2-Clause', 'LICENSE_OPENJPEG'],
    ['the build of OpenJPEG for pdf.js', 'BSD-2-Clause', 'LICENSE_PDFJS_OPENJPEG'],
  ]
  return parts.map(([name, licence, file]) => {
    const text = readFileSync(join(path, 'wasm', file), 'utf8')
    return { name, licence, copyright: holdersIn(text), text: withoutCommonTexts(text) }
  })
}

function stanzaOf(path, description) {
  const licence = licenceOf(description)
  const file = readdirSync(path).find((name) => /^(licen[cs]e|copying)(\.|-|$)/i.test(name))
  const text = file === undefined ? undefined : readFileSync(join(path, file), 'utf8')
  const holders = holdersIn(text ?? '')
  const copyright = holders.length > 0 ? holders : [authorOf(description)]
  const own = text ?? `The package names its licence, ${licence}, and holds no text of it.`
  return { licence, copyright, text: withoutCommonTexts(own) }
}

function holdersIn(text) {
  const lines = text.matchAll(/^\W*(?:copyright\s+)?(?:\(c\)|©|copyright)\s*(?:\(c\)|©)?\s*(.*\d{4}.*)$/gim)
  // This is the copyright of a licence text, not of the package.
  return [...lines].filter(([line]) => !line.includes('Free Software Foundation')).map(([, line]) => line.trim())
}

/** Replaces these two licence texts by their paths: Debian installs them everywhere, and wants them not repeated. */
function withoutCommonTexts(text) {
  return text
    .replaceAll(
      /^[^\n]*Apache License\s+Version 2\.0[^]*?END OF TERMS AND CONDITIONS[^\n]*(\s+APPENDIX[^]*?identification within third-party archives\.)?/gm,
      'The Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.',
    )
    .replace(
      /[ \t]*GNU GENERAL PUBLIC LICENSE\s+Version 2,[^]*$/,
      'The GNU General Public License, version 2, is in /usr/share/common-licenses/GPL-2.',
    )
}

function licenceOf({ name, license, licenses }) {
  const named = license?.type ?? license ?? licenses?.map(({ type }) => type).join(' or ')
  if (typeof named !== 'string') throw new Error(`${name} names no licence`)
  // Brackets are part of npm's format. In Debian's format a licence's name has no spaces.
  return named.replaceAll(/[()]/g, '').replaceAll(' OR ', ' or ').replaceAll(' AND ', ' and ')
}

function authorOf({ name, author, contributors, maintainers }) {
  const first = author ?? contributors?.[0] ?? maintainers?.[0] ?? `the authors of ${name}`
  return typeof first === 'string' ? first : first.name
}

function paragraph({ files, copyright, licence, text }) {
  return [
    `Files: ${files.join('\n ')}`,
    `Copyright: ${copyright.join('\n ')}`,
    `License: ${licence}`,
    ...text
      .trim()
      .split('\n')
      .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`)),
  ].join('\n')
}
