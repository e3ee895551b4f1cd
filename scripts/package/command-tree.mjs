// What manual pages and completions are made from: every command of a commander program, as its own --help tells of it.

/** The command and all below it, each with its words, `strongroom user add`. */
export function commandsOf(command, words = [command.name()]) {
  return [
    { words, ...described(command) },
    ...command.commands.flatMap((below) => commandsOf(below, [...words, below.name()])),
  ]
}

function described(command) {
  const helper = command.createHelp()
  return {
    description: sentence(helper.commandDescription(command)),
    usage: usageOf(command),
    arguments: helper.visibleArguments(command).map((argument) => ({
      term: helper.argumentTerm(argument),
      description: helper.argumentDescription(argument),
      choices: argument.argChoices ?? [],
      isFile: namesFile(argument.name()),
    })),
    options: helper.visibleOptions(command).map((option) => ({
      term: helper.optionTerm(option),
      flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
      description: helper.optionDescription(option),
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
      isFile: namesFile(/[<[](.*?)\W*[>\]]/.exec(option.flags)?.[1] ?? ''),
    })),
    commands: command.commands.map((below) => ({ name: below.name(), description: sentence(below.description()) })),
    sections: sectionsOf(textAfterHelp(command)),
  }
}

const namesFile = (name) => /file|folder|dir|request|package$/i.test(name)

/** Without the commands that it stands below, which `Help.commandUsage` puts before it. */
function usageOf(command) {
  const usage = command.usage()
  return usage === '[options] [command]' && command.commands.length > 0 ? '[options] command' : usage
}

/** Some descriptions begin small and have no full stop, because they stand in a table. */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/(?<![.!?])$/, '.')

/** What `addHelpText('after', …)` adds to the help that commander makes. */
function textAfterHelp(command) {
  const written = []
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => 100 })
  command.outputHelp()
  return written.slice(1).join('')
}

/** Paragraphs, and headings ("Examples:") with the lines that are set in below them. */
function sectionsOf(text) {
  const sections = []
  for (const paragraph of text.split(/\n{2,}/)) {
    const lines = paragraph.split('\n').filter((line) => line.trim() !== '')
    if (lines.length === 0) continue
    const heading = /^([A-Z][a-z ]+):$/.exec(lines[0])?.[1]
    if (heading !== undefined) sections.push({ heading, lines: lines.slice(1) })
    else sections.push({ lines })
  }
  return sections
}
