import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AgePair, givenAgePair, givenFolder, unpack } from '../support/backup-kit.ts'
import { addUser, makePremises, type Premises } from '../support/console-kit.ts'
import { hasTwoUsers, insideUser, workersUser } from '../support/two-users.ts'

/**
 * Replaces whatever appears in a folder by a link to the file in its argument, as fast as it can, and reports what it
 * has replaced.
 */
const linkLayer = `
  const fs = require('node:fs')
  const [folder, target] = process.argv.slice(1)
  const known = new Set(fs.readdirSync(folder))
  const replaced = new Set()
  console.log('looking')
  setInterval(() => {
    const until = Date.now() + 20
    while (Date.now() < until)
      for (const name of fs.readdirSync(folder)) {
        const path = folder + '/' + name
        if (known.has(name) || /-(journal|wal|shm)$/.test(name) || replaced.has(name)) continue
        try {
          fs.renameSync(path, folder + '/mine-' + name)
          known.add('mine-' + name)
          fs.symlinkSync(target, path)
          replaced.add(name)
          console.log('replaced ' + name)
        } catch {}
      }
  }, 1)
`

interface Attacker {
  readonly who: string
  readonly user: string
  /** Whether keeper and token hosts run. Otherwise root's command starts its own. */
  readonly tokenHost: boolean
  readonly tries: number
}

const attackers: readonly Attacker[] = [
  { who: 'a worker', user: workersUser, tokenHost: true, tries: 5 },
  { who: 'a token host that has stopped with the daemon', user: insideUser, tokenHost: false, tries: 2 },
]

describe.runIf(hasTwoUsers).each(attackers)('$who that was taken over, while root makes a backup', (by) => {
  let premises: Premises
  let pair: AgePair
  /** Folder of the attacker's user, whose files root copies. */
  let folder: string

  beforeAll(async () => {
    premises = await makePremises({ tokenHost: by.tokenHost })
    folder = join(premises.directory, 'theirs')
    mkdirSync(folder, { mode: 0o700 })
    const run = join(premises.directory, 'run')
    const keeper = { socket: join(run, 'keeper.sock'), operatorSocket: join(run, 'operator.sock') }
    const database = { store: { sqlite: join(folder, 'strongroom.db') } }
    premises.configure(
      by.tokenHost ? database : { hsm: { keeper: { ...keeper, state: join(folder, 'keeper.sqlite') } } },
    )
    await premises.run(['init'])
    await addUser(premises, 'alice')
    pair = givenAgePair(premises.directory)
    chmodSync(premises.directory, 0o755)
    execFileSync('chown', ['-R', `${by.user}:`, folder])
  })
  afterAll(() => premises.cleanup())

  it('lays no link through which root writes', async () => {
    // A place where a file of root has an effect, for example a crontab or a unit.
    const rootsFolder = givenFolder()
    chmodSync(rootsFolder, 0o755)
    const target = join(rootsFolder, 'planted')
    const before = readdirSync(folder)
    const as = ['--reuid', by.user, '--regid', by.user, '--clear-groups']
    const attacker = spawn('setpriv', [...as, process.execPath, '-e', linkLayer, folder, target], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    attacker.stdout.on('data', (text: Buffer) => (said += text.toString()))
    onTestFinished(() => void attacker.kill())
    while (!said.includes('looking')) await once(attacker.stdout, 'data')
    writeFileSync(join(folder, 'bait'), '')
    for (let tries = 0; tries < by.tries; tries += 1)
      // In a process of its own, so that the attacker has a processor for himself.
      premises.runProcess(['backup', 'create', join(rootsFolder, `${tries}.age`), '--recipient', pair.recipient])
    expect(existsSync(target)).toBe(false)
    // The attacker was fast enough to replace what root made there.
    await vi.waitFor(() => expect(said).toContain('replaced bait'), 60_000)
    expect(said.split('\n').filter((line) => /copy/.test(line))).toEqual([])

    const unpacked = join(rootsFolder, 'unpacked')
    mkdirSync(unpacked)
    unpack(join(rootsFolder, '0.age'), pair, unpacked)
    const check = ['PRAGMA integrity_check']
    for (const name of ['database.sqlite', 'keeper.sqlite'])
      expect(execFileSync('sqlite3', [join(unpacked, name), ...check], { encoding: 'utf8' })).toBe('ok\n')
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(before))
    expect(readdirSync(premises.directory).filter((name) => name.startsWith('.strongroom-copy'))).toEqual([])
  })
})
