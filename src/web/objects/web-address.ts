/**
 * The address, for a value that is entirely a web address. Other schemes are no links, least of all `javascript:`. Nor
 * are addresses with a user (`https://bank.example@other.example` leads elsewhere than it looks) or with invisible
 * characters.
 */
export function webAddressOf(value: string): string | undefined {
  if (!/^https?:\/\/[^\s\p{C}]+$/iu.test(value) || !URL.canParse(value)) return undefined
  const { username, password, href } = new URL(value)
  return username === '' && password === '' ? href : undefined
}
