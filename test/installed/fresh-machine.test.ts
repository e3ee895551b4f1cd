import { afterAll, expect, it } from 'vitest'
import { copyCheckout, firstAdministrator, problemsOf } from '../support/installed-appliance.ts'
import { checkoutFolder, type Suite } from '../support/machine-base.ts'
import { bootMachine, describeInMachines, type Machine } from '../support/machine.ts'

const setup = `${checkoutFolder}/scripts/setup`

describeInMachines('scripts/setup on a Debian as it is installed', () => {
  const machines: Machine[] = []
  const given = async (suite: Suite): Promise<Machine> => {
    // With this computer's network, as apt and npm need it; port 443 must be free on it.
    const machine = await bootMachine({ suite, base: 'bare', network: 'shared' })
    machines.push(machine)
    await copyCheckout(machine)
    // As a clone is: nothing compiled.
    await machine.must(`rm -rf ${checkoutFolder}/dist`)
    return machine
  }
  afterAll(async () => {
    for (const machine of machines) await machine.end()
  })

  // It compiles the native packages: six minutes on two processors that do nothing else.
  it('13: installs Node.js and all else, and works at the first try', { timeout: 1_800_000 }, async () => {
    const machine = await given('trixie')
    const said = await machine.must(setup)
    expect(said).toMatch(/✓ Node\.js +installed: nodejs npm/)
    expect(said).toMatch(/decrypt +version 2: "Hello from the strongroom\."/)
    expect(firstAdministrator(said).applicationKey).not.toBe('')
    expect(await problemsOf(machine)).toEqual([])
    await machine.end()
  })

  it('12: says exactly what to type, because its Node.js is too old', async () => {
    const machine = await given('bookworm')
    const { status, stderr } = await machine.run(setup)
    expect(status).toBe(1)
    expect(stderr).toMatch(/Node\.js is not installed, and Debian offers 18\.\d+\.\d+: .* 20\.19 or later, best 24/)
    expect(stderr).toContain('apt-get update && apt-get install -y nodejs')
    expect((await machine.run('test -e /usr/lib/strongroom')).status).toBe(1)
  })
})
