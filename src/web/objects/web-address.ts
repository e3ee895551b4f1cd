/**
 * The address of a value that is one as a whole, and of the web: no other scheme is a link, `javascript:` least of all. One that
 * names a user is none either, since `https://bank.example@other.example` leads elsewhere than it looks, and none is one with
 * characters that cannot be seen.
 */
export function webAddressOf(value: string): string | undefined {
  if (!/^https?:\/\/[^\s\p{C}]+$/iu.test(value) || !URL.canParse(value)) return undefined
  const { username, password, href } = new URL(value)
  return username === '' && password === '' ? href : undefined
}
