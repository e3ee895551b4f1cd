import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { findPolicy } from '../policies.ts'
import type { Generator, PasswordRequest } from '../generator.ts'

/** A number in the query. Clients send empty fields of their form as empty text. */
const number = (least: number, most: number, what: string) => {
  const range = `must be a whole number from ${least} to ${most}`
  return z
    .union(
      [
        z.literal('').transform(() => undefined),
        z
          .string()
          .regex(/^\d{1,4}$/)
          .transform(Number)
          .refine((value) => value >= least && value <= most, range),
      ],
      range,
    )
    .describe(`${what} ${least} to ${most}.`)
    .optional()
}

const delimiters = { dash: '-', space: ' ', default: ' ', '': ' ' } as const
const delimiter = z
  .union(
    [
      z.enum(['dash', 'space', 'default', '']).transform((name) => delimiters[name]),
      z.enum([',', '.', '-', '_', '=', ':', ' ']),
    ],
    'must be dash, space, default or one of the characters , . - _ = : and blank',
  )
  .describe(
    'Of `opie` and `diceword`: what stands between the words, as a name or as the character. A blank when absent.',
  )
  .optional()

/** The default and the greatest length. The table for a policy grows with it. */
const lengths = {
  secure: [40, 1024],
  pin: [4, 100],
  pronounceable: [12, 1024],
  pronouncable: [12, 1024],
  bytes: [32, 1024],
  policyid: [20, 128],
} as const

const body = z.object({
  type: z
    .enum(['secure', 'pin', 'pronounceable', 'pronouncable', 'bytes', 'opie', 'diceword', ''])
    .transform((type) => type || 'secure')
    .describe(
      '`secure` random characters, `pin` digits, `pronounceable` syllables (`pronouncable` is the same), `bytes` random bytes, `opie` twelve short English words (128 bits, RFC 2289), `diceword` words of a list. `secure` when empty.',
    )
    .default('secure'),
  policyid: number(0, 9999, 'Id of a password policy that the password is to keep; takes precedence over `type`.'),
  length: number(
    1,
    1024,
    'Length; when absent 40 of `secure`, 4 of `pin`, 12 of `pronounceable`, 32 of `bytes`, 20 by a policy. At most 100 of `pin`, 128 by a policy.',
  ),
  delimiter,
  /** A misspelling that one published client sends. */
  delimeter: delimiter.describe('The same as `delimiter`.'),
  language: z.string().max(32).describe('Of `diceword`: language of the words. `en_US` when empty.').default(''),
  words: number(1, 100, 'Of `diceword`: how many words, 5 when absent.'),
  min_char: number(0, 100, 'Of `diceword`: letters of the shortest word, 2 when absent.'),
  max_char: number(0, 100, 'Of `diceword`: letters of the longest word, 0 or absent for any.'),
})

/**
 * `GET /utils/pwgen` (WIRE §8.2). `policyid` takes precedence over `type`, since clients send the type of their form as
 * well.
 */
export const generatePassword = (generator: Generator) =>
  endpoint({
    operation: 'utils.pwgen',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/pwgen',
    summary: 'Generate a password',
    details: 'Where fewer than 2^50 passwords are like it, `CALLINFO.general` says that it is weak.',
    access: { kind: 'session' },
    faults: ['vault.policy_unknown'],
    reply: {
      callinfo: z.object({
        passphrase: z.string().describe('The password. The appliance does not keep it.'),
        length: z.int().min(1).describe('Its length, in UTF-16 code units.'),
        type: z.string().describe('The type that was asked for.'),
        bits: z.int().min(0).describe('Its strength: there are 2 to the power of this many like it, rounded down.'),
      }),
    },
    body,
    async run({ body: fields }) {
      const { text, bits } = await generator.generate(requestOf(fields))
      return {
        callinfo: { passphrase: text, length: text.length, type: fields.type, bits },
        general: bits < weakBelowBits ? [weakness(bits)] : [],
      }
    },
  })

function requestOf(fields: z.infer<typeof body>): PasswordRequest {
  const { type, policyid, delimiter: between = fields.delimeter ?? ' ' } = fields
  if (policyid !== undefined) {
    const policy = findPolicy(policyid)
    if (policy === undefined) throw new Fault('vault.policy_unknown')
    return { kind: 'policy', rules: policy.rules, length: lengthFor('policyid', fields.length) }
  }
  switch (type) {
    case 'opie':
      return { kind: type, delimiter: between }
    case 'diceword': {
      const { language, words = 5, min_char: minChar = 2, max_char: maxChar = 0 } = fields
      return { kind: type, language: language || 'en_US', words, minChar, maxChar, delimiter: between }
    }
    default:
      return {
        kind: type === 'pronouncable' ? 'pronounceable' : type,
        length: lengthFor(type, fields.length),
      }
  }
}

function lengthFor(type: keyof typeof lengths, length: number | undefined): number {
  const [usual, most] = lengths[type]
  if (length !== undefined && length > most)
    throw new Fault('request.invalid', `length must be ${most} at most with ${type}.`)
  return length ?? usual
}

/** With less entropy, an attacker who has a hash of the password can try them all. */
const weakBelowBits = 50

const weakness = (bits: number): string =>
  `This password is weak: there are no more than 2^${bits + 1} like it. Ask for a longer one where it can be used.`
