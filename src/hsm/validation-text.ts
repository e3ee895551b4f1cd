/**
 * The members of what an answer of the validator has signed; undefined for a text that is none. They are in the order of
 * their names, each once, among them the status and the time. A request always names its client (`id`), which no answer
 * does.
 */
export function readValidationAnswer(text: string): ReadonlyMap<string, string> | undefined {
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
/** Nothing that a client could take for the end of a member. */
const valueForm = /^[\w.:-]{0,128}$/

/** What tells a client that its OTP is good; only the keeper signs that. */
export const acceptance = 'OK'

/** As hardware tokens type bytes: a nibble is one of 16 letters that lie on the same keys of most keyboards. */
export function modhexOf(bytes: Buffer): string {
  return bytes.toString('hex').replaceAll(/./g, (digit) => 'cbdefghijklnrtuv'.charAt(Number.parseInt(digit, 16)))
}
