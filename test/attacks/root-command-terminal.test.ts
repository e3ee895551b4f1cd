import { expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom, strongroomOnTerminal } from '../support/console-kit.ts'
import { makeVault } from '../support/vault.ts'

/** The attacker writes to the database. What root's command shows of it should control root's terminal. */
const appliance = applianceForTests(() => TestAppliance.own())

/** Puts bytes into the clipboard of the terminal (OSC 52), clears the screen, in 7 and 8 bits, and goes to the line's begin. */
const hostile = 'Sales\u001B]52;c;cm0gLXJmIC8=\u0007\u001B[2J\u009B2J\rAll is well.'

it.each([
  ['the name of a vault', 'UPDATE vaults SET name = $1', ['vault', 'list']],
  ['the name of a person', 'UPDATE users SET fullname = $1', ['user', 'list']],
  ['the name of an application key', 'UPDATE application_keys SET name = $1', ['apikey', 'list']],
])('%s does not', async (_what, sql, args) => {
  await makeVault(appliance)
  await appliance.store.query(sql, [hostile])
  const { status, stdout, stderr } = await strongroomOnTerminal(appliance.configFile, args)
  expect(status).toBe(0)
  expect(stdout).toContain('Sales?]52;c;cm0gLXJmIC8=??[2J?2J?All is well.')
  expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
  // A file, or another program, gets what is there.
  expect((await strongroom(appliance.configFile, args)).stdout).toContain(hostile)
})

it('the colours of the command itself stay', async () => {
  const { stdout } = await strongroomOnTerminal(appliance.configFile, ['audit', 'verify'])
  expect(stdout).toContain('\u001B[32m')
})
