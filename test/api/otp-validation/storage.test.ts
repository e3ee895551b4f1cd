import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FailingDisk, FullDisk, mayMount } from '../../support/disk.ts'
import { expectSoundTrail } from '../../support/fault-kit.ts'
import { TestValidator } from './validation-kit.ts'

async function givenValidator(place?: 'store' | 'audit', disk?: { readonly path: string }): Promise<TestValidator> {
  const where = disk?.path ?? ''
  const validator = await TestValidator.start({
    ...(place === 'store' && { store: { sqlite: join(where, 'strongroom.sqlite') } }),
    ...(place === 'audit' && { audit: { directory: join(where, 'audit') } }),
  })
  onTestFinished(() => validator.close())
  return validator
}

async function givenWork(validator: TestValidator) {
  const client = await validator.addClient()
  const { hardwareToken } = await validator.appliance.addUser()
  expect(await validator.status(client, hardwareToken.press())).toBe('OK')
  return { client, token: hardwareToken }
}

type Work = Awaited<ReturnType<typeof givenWork>>

const word = async (validator: TestValidator, { client }: Work, otp: string) =>
  (await validator.verify(client, otp)).members['status']

function givenDisk<Disk extends { remove(): void }>(disk: Disk): Disk {
  onTestFinished(() => disk.remove())
  return disk
}

describe.skipIf(!mayMount)('a disk that takes nothing more (needs the right to mount)', () => {
  it.each(['store', 'audit'] as const)(
    'full under the %s: fresh OTPs and replays are BACKEND_ERROR; when there is room, what was not accepted is good once',
    async (place) => {
      const disk = givenDisk(new FullDisk())
      const validator = await givenValidator(place, disk)
      const work = await givenWork(validator)
      const used = work.token.press()
      expect(await word(validator, work, used)).toBe('OK')
      const fresh = work.token.press()
      disk.fill(0)
      // The last page of a file has room for a few more records, here those of an unknown OTP.
      const nobodys = `cccccccccccc${used.slice(12)}`
      if (place === 'audit')
        for (let refusals = 0; refusals < 8;)
          refusals = (await word(validator, work, nobodys)) === 'BACKEND_ERROR' ? refusals + 1 : 0
      const refused = await Promise.all(
        Array.from({ length: 20 }, (_, at) => word(validator, work, at % 2 === 0 ? fresh : used)),
      )
      expect(refused).not.toContain('OK')
      expect(refused.filter((_, at) => at % 2 === 0)).toEqual(Array.from({ length: 10 }, () => 'BACKEND_ERROR'))

      disk.free()
      expect([await word(validator, work, fresh), await word(validator, work, fresh)]).toEqual(['OK', 'REPLAYED_OTP'])
      expect(await word(validator, work, used)).toBe('REPLAYED_OTP')
      await validator.appliance.stop()
      await expectSoundTrail(validator.appliance)
    },
  )

  it.each(['store', 'audit'] as const)(
    'read-only under the %s: BACKEND_ERROR, and OK after the repair',
    async (place) => {
      const disk = givenDisk(new FailingDisk())
      const validator = await givenValidator(place, disk)
      const work = await givenWork(validator)
      const fresh = work.token.press()
      disk.fail()
      expect(await word(validator, work, fresh)).toBe('BACKEND_ERROR')
      expect(await word(validator, work, fresh)).toBe('BACKEND_ERROR')
      await validator.appliance.stop()
      disk.replace()
      await validator.appliance.restart()
      expect([await word(validator, work, fresh), await word(validator, work, fresh)]).toEqual(['OK', 'REPLAYED_OTP'])
    },
  )
})

describe('a database that another process holds', () => {
  it('has fresh OTPs answered with BACKEND_ERROR, and they are good when it is let go', async () => {
    const validator = await givenValidator()
    const work = await givenWork(validator)
    const fresh = work.token.press()
    const holder = spawn('sqlite3', [String(validator.appliance.config.store.sqlite)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void holder.kill())
    holder.stdin.write("BEGIN IMMEDIATE; SELECT 'held';\n")
    await once(holder.stdout, 'data')
    expect(await word(validator, work, fresh)).toBe('BACKEND_ERROR')
    expect(await word(validator, work, `cccccccccccc${fresh.slice(12)}`)).toBe('BAD_OTP')
    holder.stdin.end('ROLLBACK;\n')
    await once(holder, 'close')
    expect(await word(validator, work, fresh)).toBe('OK')
  })
})
