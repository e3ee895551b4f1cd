// Makes completion for bash: the commands, options, values and files in the help of each command.

export function bashCompletion(commands) {
  const program = commands[0].words[0]
  return `# Completion of ${program}(1) for bash, made from the help of its commands.
_${program}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at=${program} word i words='' files=''
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
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
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; [ -z "$files" ] || compgen -f -- "$cur")
}
complete -o filenames -F _${program} ${program}
`
}

const alternatives = (words) => words.map((word) => `'${word}'`).join(' | ')

/** Completions of an option's value: its choices or a file, otherwise nothing. */
function valueCases({ words, options }) {
  const at = words.join(' ')
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices, isFile }) => {
      const completed = isFile ? '-f' : `-W '${choices.join(' ')}'`
      const pattern = alternatives(flags.map((flag) => `${at} ${flag}`))
      return `    ${pattern}) mapfile -t COMPREPLY < <(compgen ${completed} -- "$cur"); return ;;`
    })
}

function commandCase({ words, options, arguments: expected, commands }) {
  const candidates = [
    ...commands.map(({ name }) => name),
    ...expected.flatMap(({ choices }) => choices),
    ...options.flatMap(({ flags }) => flags),
  ]
  const files = expected.some(({ isFile }) => isFile) ? ' files=1' : ''
  return `    '${words.join(' ')}') words='${candidates.join(' ')}'${files} ;;`
}
