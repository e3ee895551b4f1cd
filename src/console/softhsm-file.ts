import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** A line of softhsm2.conf(5) with the folder of tokens. `#` starts a comment, and the last such line counts. */
const tokenFolderLine = /^[ \t]*directories\.tokendir[ \t]*=([^#\n]*).*$/gm

/** The folder of tokens that this softhsm2.conf names; undefined without one. */
export function tokenFolderIn(softhsmConf: string | undefined): string | undefined {
  if (softhsmConf === undefined) return undefined
  return [...readFileSync(softhsmConf, 'utf8').matchAll(tokenFolderLine)].at(-1)?.[1]?.trim() || undefined
}

/** The text of softhsm2.conf with another folder of tokens. */
export const withTokenFolder = (softhsmConf: string, folder: string): string =>
  softhsmConf.replaceAll(tokenFolderLine, () => `directories.tokendir = ${folder}`)

/** Whether both paths lead to the same file or folder. A path that does not exist is compared by its name. */
export const isSamePlace = (one: string, other: string): boolean => real(one) === real(other)

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
