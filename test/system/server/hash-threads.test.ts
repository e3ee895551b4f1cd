import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { hashRaw } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { hashHere } from '../../../src/features/users/passphrase-hash.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { processesOf } from '../../support/fault-kit.ts'

describe('pass phrases are hashed', () => {
  it('in a thread of low priority, and everything else is not', async () => {
    const appliance = await TestAppliance.own()
    try {
      const [worker = 0] = processesOf(appliance).workers
      expect(nicenessOf(worker)).not.toContain(10)
      for (let n = 0; n < 3; n++) await appliance.login(await appliance.addUser())
      expect(nicenessOf(worker).filter((nice) => nice !== 0)).toEqual([10])
    } finally {
      await appliance.close()
    }
  })

  it('from bytes that are overwritten: a thread that makes no garbage keeps what it has', () => {
    const passphrase = new TextEncoder().encode('correct horse')
    hashHere({ passphrase, salt: Buffer.alloc(16, 1), memoryKiB: 8192, passes: 1 })
    expect([...passphrase]).toEqual([...passphrase].map(() => 0))
  })

  it('as the library does, in another thread after one that failed', async () => {
    const salt = Buffer.from('0123456789abcdef')
    const right = await hashRaw('correct horse', { salt, memoryCost: 8192, timeCost: 1, parallelism: 1, outputLen: 32 })
    const program = `
      const { createHashThreads } = await import(${JSON.stringify(resolve('dist/modules/hash-threads.js'))})
      const hash = createHashThreads(2)
      const input = { passphrase: 'correct horse', salt: Buffer.from('${salt.toString()}'), memoryKiB: 8192, passes: 1 }
      const tries = [input, { ...input, memoryKiB: 0 }, { ...input, memoryKiB: 0 }, input, input, input, input]
      const answers = await Promise.allSettled(tries.map(hash))
      console.log(JSON.stringify(answers.map(({ value }) => value?.toString('hex') ?? 'failed')))
    `
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    const good = right.toString('hex')
    expect(JSON.parse(printed)).toEqual([good, 'failed', 'failed', good, good, good, good])
  })
})

/** The nice value of each thread of the process, the 19th field (proc_pid_stat(5)). */
function nicenessOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}
