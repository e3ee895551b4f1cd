/**
 * The members that the person changed in a form. The others are not sent, because another person may have changed them
 * meanwhile.
 */
export function changed<Members extends object>(typed: Members, shown: Members): Partial<Members> {
  const before = new Map(Object.entries(shown))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the members, as they are
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== before.get(name)),
  ) as Partial<Members>
}
