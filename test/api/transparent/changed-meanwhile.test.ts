import { describe, expect, it } from 'vitest'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'

// Token hosts refuse rows that are older than the committed ones. A use whose worker read the key just before a change
// must not count as such.

const appliance = applianceForTests(() => TestAppliance.own(twoWorkers))
const vault = vaultForTests(appliance)

const streams = 6
const changes = 30

/** Repeats calls of many kinds until `done`. Resolves to all failures. */
async function failuresUntil(done: Promise<unknown>, calls: readonly (() => Promise<string>)[]): Promise<string[]> {
  const changing = { isOver: false }
  void done.finally(() => (changing.isOver = true)).catch(() => undefined)
  const failures: string[] = []
  const stream = async (at: number) => {
    for (let turn = at; !changing.isOver; turn++) {
      const answer = await calls[turn % calls.length]?.()
      if (answer !== undefined && answer !== 'SUCCESS') failures.push(answer)
    }
  }
  await Promise.all(Array.from({ length: streams }, (_, at) => stream(at)))
  await done
  return failures
}

const calling = (method: 'GET' | 'POST', path: string, body?: Record<string, unknown>) => async (): Promise<string> => {
  const { json } = await vault.admin.call(method, path, body ? { body } : {})
  const { status } = json.CALLINFO
  return status === 'SUCCESS' ? 'SUCCESS' : `${path} ${JSON.stringify(json['ERRORCODES'])}`
}

const keysPath = () => `/transparent/${vault.id}/keys`
const plaintext = Buffer.from('x').toString('base64')

describe('a key that is changed while it is used', () => {
  it('encrypts and decrypts during rotations and changes of its policy', async () => {
    const ciphertext = await vault.encrypt('busy', plaintext)
    const batch = { batch_input: Array.from({ length: 3 }, () => ({ ciphertext })) }
    const work = async () => {
      for (let change = 0; change < changes; change++) {
        await vault.admin.must('POST', `${keysPath()}/busy/rotate`)
        await vault.admin.must('PUT', `${keysPath()}/busy`, { allow_delete: change % 2 === 0 })
      }
    }
    const failures = await failuresUntil(work(), [
      calling('POST', `/transparent/${vault.id}/encrypt/busy`, { plaintext }),
      calling('POST', `/transparent/${vault.id}/decrypt/busy`, { ciphertext }),
      calling('POST', `/transparent/${vault.id}/decrypt/busy`, batch),
      calling('POST', `/transparent/rewrap/${vault.id}/busy`, { ciphertext }),
      calling('POST', `/transparent/${vault.id}/datakey/plaintext/busy`, {}),
    ])
    expect(failures).toEqual([])
  }, 120_000)

  it('makes HMACs and signs', async () => {
    await vault.admin.must('POST', `${keysPath()}/mac`, { type: 'hmac-sha256' })
    await vault.admin.must('POST', `${keysPath()}/pen`, { type: 'ecdsa-p256' })
    const work = async () => {
      for (let change = 0; change < changes; change++)
        for (const name of ['mac', 'pen']) await vault.admin.must('POST', `${keysPath()}/${name}/rotate`)
    }
    const failures = await failuresUntil(work(), [
      calling('POST', `/transparent/${vault.id}/hmac/mac`, { input: plaintext }),
      calling('POST', `/transparent/${vault.id}/sign/pen`, { input: plaintext }),
    ])
    expect(failures).toEqual([])
  }, 120_000)

  it('is exported and backed up', async () => {
    const flags = { allow_export: true, allow_plaintext_export: true, allow_backup: true }
    await vault.admin.must('POST', `${keysPath()}/leaving`, { type: 'aes256-gcm96', ...flags })
    const work = async () => {
      for (let change = 0; change < changes; change++)
        await vault.admin.must('PUT', `${keysPath()}/leaving`, { allow_delete: change % 2 === 0 })
    }
    const failures = await failuresUntil(work(), [
      calling('GET', `/transparent/export/${vault.id}/leaving`),
      calling('GET', `/transparent/backup/${vault.id}/leaving`),
    ])
    expect(failures).toEqual([])
  }, 120_000)
})
