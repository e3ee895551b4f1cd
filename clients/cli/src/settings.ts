import { homedir } from 'node:os'
import { join } from 'node:path'
import { Refusal, UsageError } from './exit-code.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** Settings of an appliance from the last login. None of them is secret. */
export interface ApplianceSettings {
  readonly username?: string
  /** Path of a file with the CA of its certificate. */
  readonly ca?: string
  /** Storage of session and application key. */
  readonly kept?: 'keyring' | 'file'
}

export interface Settings {
  /** Address of the appliance of the last login. */
  readonly url?: string
  readonly appliances: Readonly<Record<string, ApplianceSettings>>
}

/** The folder of the settings, by the XDG Base Directory Specification. */
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

/** Saves the settings of an appliance, and makes it the default of commands without --url. */
export function saveAppliance(url: string, appliance: ApplianceSettings): void {
  const { appliances } = readSettings()
  writePrivateFile(
    settingsFile(),
    `${JSON.stringify({ url, appliances: { ...appliances, [url]: appliance } }, undefined, 2)}\n`,
  )
}

/** Parses and normalizes the address of an appliance. @throws UsageError */
export function readUrl(text: string): string {
  const written = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(written)) throw new UsageError(`${text} is no address: write https://vault.example.com.`)
  const { protocol, origin, pathname } = new URL(written)
  if (protocol !== 'https:') throw new UsageError('The address of the appliance begins with https://.')
  return `${origin}${pathname.replace(/\/$/, '').replace(/\/api\/1\.0$/, '')}`
}
