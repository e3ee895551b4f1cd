import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockChain, writtenChains } from '../../../src/audit/chain-lock.ts'
import { buildProgram } from '../../support/built-program.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

/** Holds the lock that its argument names. */
const source = `
  import { lockChain } from './audit/chain-lock.ts'
  await lockChain(process.argv[2], 'worker-1', 0)
  console.log('held')
  setInterval(() => {}, 1_000)`

/** A process that holds the lock, in a PID namespace of its own like a container that shares the folder. */
async function givenHolderElsewhere(path: string): Promise<ChildProcess> {
  const place = givenDirectory()
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'))
  const program = join(place, 'holder.mjs')
  await buildProgram(source, program)
  const isRoot = process.getuid?.() === 0
  const container = [
    ...(isRoot ? [] : ['--user', '--map-root-user']),
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ]
  const holder = spawn('unshare', [...container, process.execPath, program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  const ended = once(holder, 'exit').then(([code]) => Promise.reject(new Error(`unshare ended with ${code}`)))
  await Promise.race([once(holder.stdout, 'data'), ended])
  ended.catch(() => undefined)
  return holder
}

test('a chain that a process of another container writes has no second writer until that process has ended', async () => {
  const directory = givenDirectory()
  const path = join(directory, 'worker-1.lock')
  const holder = await givenHolderElsewhere(path)
  await expect(lockChain(path, 'worker-1', 0)).rejects.toMatchObject({ code: 'audit.unavailable' })
  expect(await writtenChains(directory)).toEqual(['worker-1'])
  // Nothing beside it, which a backup would take up and root would refuse, and which would need room on a full disk.
  expect(readdirSync(directory)).toEqual(['worker-1.lock'])
  holder.kill('SIGKILL')
  const lock = await lockChain(path, 'worker-1', 10_000)
  expect(readdirSync(directory)).toEqual(['worker-1.lock'])
  expect(statSync(path).size).toBe(0)
  lock.release()
  expect(await writtenChains(directory)).toEqual([])
})
