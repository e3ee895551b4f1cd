// The input for manual pages and completions: every command of a commander program, as in its own --help.

/**
 * The command and all its subcommands, each with its full name as a list of words, for example `strongroom user add`.
 */
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

/** The usage without the parent commands, which `Help.commandUsage` would put before it. */
function usageOf(command) {
  const usage = command.usage()
  return usage === '[options] [command]' && command.commands.length > 0 ? '[options] command' : usage
}

/** Makes a sentence of a description that is written for a table, in lower case and without a full stop. */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/(?<![.!?])$/, '.')

/** The text that `addHelpText('after', …)` adds after the help of commander. */
function textAfterHelp(command) {
  const written = []
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => 100 })
  command.outputHelp()
  return written.slice(1).join('')
}

/** Splits the text into paragraphs and headed sections ("Examples:") with their indented lines. */
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
