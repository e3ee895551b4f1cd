#!/usr/bin/env node
// node scripts/package/write-console-files.mjs FOLDER [DATE]: writes manual pages and completions of the console and
// the daemon below FOLDER, in the layout of /usr/share. Uses the compiled program (npm run build).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProgram } from '../../dist/modules/program.js'
import { createDaemonCommand } from '../../dist/modules/command-line.js'
import { bashCompletion } from './bash-completion.mjs'
import { commandsOf } from './command-tree.mjs'
import { manualPage } from './manual-page.mjs'
import { zshCompletion } from './zsh-completion.mjs'

const [folder, date = new Date().toISOString().slice(0, 10)] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('Usage: node scripts/package/write-console-files.mjs FOLDER [DATE]\n')
  process.exit(2)
}
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

const console = commandsOf(await createProgram())
const daemon = commandsOf(createDaemonCommand())
for (const command of console) writePage(command, 1, seeAlsoOf(command))
for (const command of daemon) writePage(command, 8, [{ name: 'strongroom', section: 1 }])
write('bash-completion/completions/strongroom', bashCompletion(console))
write('bash-completion/completions/strongroomd', bashCompletion(daemon))
write('zsh/vendor-completions/_strongroom', zshCompletion(console))
write('zsh/vendor-completions/_strongroomd', zshCompletion(daemon))

/** The pages of a command's subcommands and of its parent. */
function seeAlsoOf({ words, commands }) {
  if (words.length === 1)
    return [...commands.map(({ name }) => page([...words, name])), { name: 'strongroomd', section: 8 }]
  return [page(words.slice(0, -1)), ...commands.map(({ name }) => page([...words, name]))]
}

function page(words) {
  return { name: words.join('-'), section: 1 }
}

function writePage(command, section, seeAlso) {
  const text = manualPage(command, { section, date, version, seeAlso })
  write(`man/man${section}/${command.words.join('-')}.${section}`, text)
}

function write(name, text) {
  const file = join(folder, name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}
