import { homedir } from 'node:os'
import { join } from 'node:path'
import { Refusal, UsageError } from './exit-code.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** What the last login says of an appliance; nothing of it is secret. */
export interface ApplianceSettings {
  readonly username?: string
  /** File with the CA of its certificate. */
  readonly ca?: string
  /** Where session and application key are kept. */
  readonly kept?: 'keyring' | 'file'
}

export interface Settings {
  /** The appliance of the last login. */
  readonly url?: string
  readonly appliances: Readonly<Record<string, ApplianceSettings>>
}

/** The XDG base directory specification says where. */
export const settingsFolder = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'strongroom-cli')

const settingsFile = (): string => join(settingsFolder(), 'config.json')

export function readSettings(): Settings {
  const text = readPrivateFile(settingsFile())
  if (text === undefined) return { appliances: {} }
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this program has written it
    const { url, appliances } = JSON.parse(text) as Partial<Settings>
    return { ...(url === undefined ? {} : { url }), appliances: appliances ?? {} }
  } catch (cause) {
    throw new Refusal(`${settingsFile()} is no JSON: mend or remove it, and log in again.`, { cause })
  }
}

/** The appliance becomes the one that commands without --url mean. */
export function saveAppliance(url: string, appliance: ApplianceSettings): void {
  const { appliances } = readSettings()
  writePrivateFile(
    settingsFile(),
    `${JSON.stringify({ url, appliances: { ...appliances, [url]: appliance } }, undefined, 2)}\n`,
  )
}

/** The address as it is written in the settings. */
export function readUrl(text: string): string {
  const written = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(written)) throw new UsageError(`${text} is no address: write https://vault.example.com.`)
  const { protocol, origin, pathname } = new URL(written)
  if (protocol !== 'https:') throw new UsageError('The address of the appliance begins with https://.')
  return `${origin}${pathname.replace(/\/$/, '').replace(/\/api\/1\.0$/, '')}`
}
