// Makes a manual page with the macros of man(7), which both groff and mandoc read.

/** The page of one command from commandsOf(). */
export function manualPage(command, { section, date, version, seeAlso }) {
  const name = command.words.join('-')
  const parts = [
    `.TH ${quoted(name.toUpperCase())} ${section} ${quoted(date)} ${quoted(`Strongroom ${version}`)} "Strongroom"`,
    '.\\" Made from the help of the command.',
    '.SH NAME',
    `${plain(name)} \\- ${plain(lowerFirst(command.description.replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    `.B ${plain(command.words.join(' '))}`,
    plain(command.usage),
    '.SH DESCRIPTION',
    plain(sentence(command.description)),
    ...command.sections.filter(({ heading }) => heading === undefined).flatMap(paragraph),
    ...listed('ARGUMENTS', command.arguments),
    ...listed('OPTIONS', command.options),
    ...listed(
      'COMMANDS',
      command.commands.map((below) => ({ term: below.name, description: below.description })),
    ),
    ...command.sections.filter(({ heading }) => heading !== undefined).flatMap(preformatted),
    ...(seeAlso.length === 0 ? [] : ['.SH SEE ALSO', seeAlso.map(reference).join(',\n')]),
  ]
  return `${parts.filter((line) => line !== '').join('\n')}\n`
}

/** Indented lines keep their layout. */
function paragraph({ lines }) {
  return lines.some((line) => /^\s/.test(line))
    ? ['.PP', '.EX', ...lines.map(plain), '.EE']
    : ['.PP', ...lines.map(plain)]
}

const preformatted = ({ heading, lines }) => [
  `.SH ${quoted(titles[heading] ?? heading.toUpperCase())}`,
  '.EX',
  ...lines.map(plain),
  '.EE',
]
const titles = { 'Exit codes': 'EXIT STATUS' }

const listed = (heading, entries) =>
  entries.length === 0
    ? []
    : [
        `.SH ${heading}`,
        ...entries.flatMap(({ term, description }) => ['.TP', `.B ${plain(term)}`, plain(description)]),
      ]

const reference = ({ name, section }) => `.BR ${plain(name)} (${section})`

/** Escapes for roff(7): backslashes, dashes that must be copyable, and control characters at the start of a line. */
const plain = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^([.'])/, '\\&$1')

const quoted = (text) => `"${plain(text).replaceAll('"', '\\(dq')}"`
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
const lowerFirst = (text) => (/^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text)
