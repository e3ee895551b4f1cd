/**
 * Whether a text is what an answer of the validator has signed: its members in the order of their names, among them the
 * status and the time. A request always names its client (`id`), which no answer does.
 */
export function isValidationAnswer(text: string): boolean {
  const names = text.split('&').map((member) => member.slice(0, member.indexOf('=')))
  return names.every((name) => answerNames.has(name)) && names.includes('status') && names.includes('t')
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
