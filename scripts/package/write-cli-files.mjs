#!/usr/bin/env node
// node scripts/package/write-cli-files.mjs FOLDER: writes completions and manual pages of strongroom-cli, which is
// compiled in FOLDER, below that folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bashCompletion } from './bash-completion.mjs'
import { commandsOf } from './command-tree.mjs'
import { manualPage } from './manual-page.mjs'
import { zshCompletion } from './zsh-completion.mjs'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('Usage: node scripts/package/write-cli-files.mjs FOLDER\n')
  process.exit(2)
}
const { createProgram } = await import(join(resolve(folder), 'dist/program.js'))
const commands = commandsOf(createProgram())
mkdirSync(join(folder, 'completions'), { recursive: true })
writeFileSync(join(folder, 'completions/strongroom-cli.bash'), bashCompletion(commands))
writeFileSync(join(folder, 'completions/_strongroom-cli'), zshCompletion(commands))

const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const date = new Date().toISOString().slice(0, 10)
mkdirSync(join(folder, 'man/man1'), { recursive: true })
for (const command of commands) {
  const others =
    command.words.length === 1 ? command.commands.map(({ name }) => `strongroom-cli-${name}`) : ['strongroom-cli']
  const seeAlso = others.map((name) => ({ name, section: 1 }))
  writeFileSync(
    join(folder, `man/man1/${command.words.join('-')}.1`),
    manualPage(command, { section: 1, date, version, seeAlso }),
  )
}
