import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { utcText } from '../../clock.ts'
import { findingsOf, type Finding } from './findings.ts'

const { ok, warning, problem } = findingsOf('node')
const least = [20, 19] as const
const recommended = 24

/** The last day of support for each major release: schedule.json of github.com/nodejs/Release. */
const lastDays: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
}

/** Checks that Node.js is new enough and still supported. */
export function nodeFinding(version: string, now: number): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < least[0] || (major === least[0] && minor < least[1]))
    return problem(
      `version ${version} is too old`,
      `Install Node.js ${recommended} (at least ${least.join('.')}), then build Strongroom again.`,
    )
  const last = lastDays[major]
  if (last === undefined || now < Date.parse(`${last}T24:00:00Z`)) return ok(`version ${version}`)
  return warning(
    `version ${version}: its makers have fixed nothing in Node.js ${major} since ${utcText(Date.parse(last)).slice(0, 10)}`,
    `Install Node.js ${recommended}, then run scripts/setup again. Debian's own package gets fixes from Debian for as long as its release does.`,
  )
}

/**
 * Finds a database module that can crash the daemon. A module compiled against the object wrappers of Node.js 24.19 or
 * later removes a cleanup hook when a wrapper is collected. Node.js aborts if that happens outside JavaScript
 * (hooks.cc). `packages` is the folder of the packages.
 */
export function moduleFindings(packages: string): Finding[] {
  const file = join(packages, 'better-sqlite3/build/Release/better_sqlite3.node')
  if (!existsSync(file) || !readFileSync(file).includes('RemoveEnvironmentCleanupHook')) return []
  return [
    problem(
      'the database module as it is compiled aborts the daemon now and then',
      'Run scripts/setup again, which compiles it without that defect, or install Node.js 22.',
    ),
  ]
}
