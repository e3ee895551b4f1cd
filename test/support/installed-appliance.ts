import { resolve } from 'node:path'
import { checkoutFolder } from './machine-base.ts'
import { bootMachine, type Machine, type MachineOptions } from './machine.ts'
import { output } from './machine-process.ts'

const root = resolve(import.meta.dirname, '../..')

/** Credentials of the first administrator, whose name is admin. `scripts/setup` shows them once. */
export interface FirstAdministrator {
  readonly passphrase: string
  readonly applicationKey: string
  readonly totpUri: string
}

export interface InstalledAppliance {
  readonly machine: Machine
  readonly admin: FirstAdministrator
  /** The output of `scripts/setup`. */
  readonly said: string
}

/** Runs `scripts/main-job.mjs` of the folder, with the ciphertexts of earlier runs. Resolves to its output. */
export async function mainJob({ machine, admin }: InstalledAppliance, folder = checkoutFolder): Promise<string> {
  const { passphrase, applicationKey, totpUri } = admin
  const totpSecret = new URL(totpUri).searchParams.get('secret')
  const input = JSON.stringify({ username: 'admin', passphrase, applicationKey, totpSecret })
  const files = '--ca /etc/strongroom/tls/ca.pem --credentials <(cat) --keep /root/ciphertexts.json'
  return machine.must(`node ${folder}/scripts/main-job.mjs --url https://localhost ${files}`, { input })
}

/** The problems that `strongroom doctor` finds. */
export async function problemsOf({ run }: Machine): Promise<{ subject: string; detail: string }[]> {
  const { findings } = JSON.parse((await run('strongroom --json doctor')).stdout)
  return findings.filter(({ state }: { state: string }) => state === 'problem')
}

/** A machine on which the checkout's `scripts/setup` installed it. Takes some ten seconds once the base exists. */
export async function installAppliance(options?: MachineOptions): Promise<InstalledAppliance> {
  const machine = await bootMachine(options)
  try {
    await copyCheckout(machine)
    const said = await machine.must(`${checkoutFolder}/scripts/setup`)
    return { machine, admin: firstAdministrator(said), said }
  } catch (error) {
    await machine.end()
    throw error
  }
}

/** Copies this working tree, compiled, to /root/strongroom, beside the Node packages of the base. */
export async function copyCheckout(machine: Machine): Promise<void> {
  const target = machine.root + checkoutFolder
  const left = ['node_modules', '.git', '.dev'].map((name) => `--exclude=./${name}`).join(' ')
  await output('sh', [
    '-c',
    `mkdir -p ${target} && tar -C ${root} ${left} -cf - . | tar -C ${target} --no-same-owner -xf - &&
     if [ -e ${target}/node_modules ]; then touch ${target}/node_modules/.package-lock.json; fi`,
  ])
}

export function firstAdministrator(said: string): FirstAdministrator {
  const after = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? ''
  return {
    passphrase: after(/^ {2}pass phrase +(.+)$/m),
    applicationKey: after(/^ {2}application key +(.+)$/m),
    totpUri: after(/(otpauth:\S+)/),
  }
}
