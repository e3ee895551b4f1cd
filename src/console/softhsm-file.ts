import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** A line of softhsm2.conf(5) that names the folder of the tokens: # begins a comment, and the last such line counts. */
const tokenFolderLine = /^[ \t]*directories\.tokendir[ \t]*=([^#\n]*).*$/gm

/** Where SoftHSM2 has its tokens, by this text of softhsm2.conf; undefined where it names no folder. */
export function tokenFolderIn(softhsmConf: string): string | undefined {
  return [...softhsmConf.matchAll(tokenFolderLine)].at(-1)?.[1]?.trim() || undefined
}

/** The same softhsm2.conf for tokens that lie elsewhere. */
export const withTokenFolder = (softhsmConf: string, folder: string): string =>
  softhsmConf.replaceAll(tokenFolderLine, () => `directories.tokendir = ${folder}`)

/** Whether both paths lead to the same place; one that leads nowhere is compared by its name. */
export const isSamePlace = (one: string, other: string): boolean => real(one) === real(other)

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
