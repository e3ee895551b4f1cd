import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** More than these characters cost time and tell nothing new. */
const looked = 64

let estimator: ZxcvbnFactory | undefined

/**
 * How hard a pass phrase is to guess, from 0 to 4, by the patterns that people use (zxcvbn: Wheeler, USENIX Security 2016). `known`
 * are words that an attacker would try first. Takes some tens of milliseconds at worst.
 */
export function strengthOf(passphrase: string, known: readonly string[]): number {
  // Only where one is asked: the dictionaries take eight megabytes.
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  return estimator.check(passphrase.slice(0, looked), [...known]).score
}

/** Can be guessed by whoever tries online, or soon by whoever has the hash: refused for a new pass phrase. */
export const isFeeble = (strength: number): boolean => strength < 2

/** Holds for now; its user is told at each login. */
export const isWeak = (strength: number): boolean => strength < 3
