import { describe, expect, it } from 'vitest'
import { givenInitialised } from '../../support/console-kit.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'

describe('strongroom doctor', () => {
  it('names the root objects of an earlier release, and what they allow', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const warnings = async () => {
      const { stdout } = await premises.run(['--json', 'doctor'])
      const { findings } = JSON.parse(stdout) as { findings: { state: string; detail: string }[] }
      return findings.filter(({ state, detail }) => state === 'warning' && detail.startsWith('strongroom.'))
    }
    expect(await warnings()).toEqual([])
    asOfRelease020(premises.token)
    const found = (await warnings()).map(({ detail }) => detail)
    expect(found).toHaveLength(7)
    expect(found).toContain(
      'strongroom.kek.backup.v1: can be copied and can be used by other mechanisms by whoever holds the PIN',
    )
  })
})
