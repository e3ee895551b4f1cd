/**
 * Parses the signed text of an answer of the validator: members by name, each once, with status and time among them.
 * Undefined for any other text, such as the signed text of a request, which always names its client (`id`).
 */
export function readValidationAnswer(text: string): ReadonlyMap<string, string> | undefined {
  if (text.length > longestAnswer) return undefined
  const members = text.split('&').map((member) => member.split('='))
  const named = new Map(members.map(([name = '', value = '']) => [name, value]))
  const isAnswer =
    named.size === members.length &&
    members.every(
      ([name = '', value = '', ...more]) => answerNames.has(name) && valueForm.test(value) && !more.length,
    ) &&
    named.has('status') &&
    named.has('t')
  return isAnswer ? named : undefined
}

/** All of its names with the longest values take less. */
const longestAnswer = 2_048
const answerNames: ReadonlySet<string> = new Set([
  'nonce',
  'otp',
  'sessioncounter',
  'sessionuse',
  'sl',
  'status',
  't',
  'timestamp',
])
/** Excludes the characters that separate members (`&`, `=`). */
const valueForm = /^[\w.:-]{0,128}$/

/** The status that accepts an OTP. Only the keeper signs an answer with it. */
export const acceptance = 'OK'

/**
 * Modhex, in which hardware tokens type bytes: 16 letters for four bits each, which most keyboard layouts have on the
 * same keys.
 */
export function modhexOf(bytes: Buffer): string {
  return bytes.toString('hex').replaceAll(/./g, (digit) => 'cbdefghijklnrtuv'.charAt(Number.parseInt(digit, 16)))
}
