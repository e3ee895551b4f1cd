// Makes completion for zsh: the commands, options, values and files in the help of each command, with descriptions.

export function zshCompletion(commands) {
  const program = commands[0].words[0]
  return `#compdef ${program}
# Completion of ${program}(1) for zsh, made from the help of its commands.
local at=${program} word before=\${words[CURRENT-1]} files=''
local -a candidates flags
for word in \${words[2,CURRENT-1]}; do
  case "$at $word" in
    ${alternatives(commands.slice(1).map(({ words }) => words.join(' ')))}) at+=" $word" ;;
  esac
done
case "$at $before" in
${commands.flatMap(valueCases).join('\n')}
esac
case $at in
${commands.map(commandCase).join('\n')}
esac
(( \${#candidates} == 0 )) || _describe -t commands command candidates
_describe -o -t options option flags
[[ -z $files ]] || _files
`
}

const alternatives = (words) => `(${words.map((word) => `'${word}'`).join('|')}`
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
/** A word and its description, separated by a colon. */
const described = (word, description) => quoted(`${word.replaceAll(':', '\\:')}:${description.replaceAll(/\s+/g, ' ')}`)

function valueCases({ words, options }) {
  const at = words.join(' ')
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices, isFile, term }) => {
      const pattern = alternatives(flags.map((flag) => `${at} ${flag}`))
      const values = choices.length > 0 ? `compadd -- ${choices.join(' ')}` : `_message ${quoted(term)}`
      return `  ${pattern}) ${isFile ? '_files' : values}; return ;;`
    })
}

function commandCase({ words, options, arguments: expected, commands }) {
  const candidates = [
    ...commands.map(({ name, description }) => described(name, description)),
    ...expected.flatMap(({ choices, description }) => choices.map((choice) => described(choice, description))),
  ]
  const flags = options.flatMap(({ flags: names, description }) => names.map((name) => described(name, description)))
  const files = expected.some(({ isFile }) => isFile) ? ' files=1' : ''
  return `  ('${words.join(' ')}') candidates=(${candidates.join(' ')}) flags=(${flags.join(' ')})${files} ;;`
}
