/**
 * A character that nobody sees, and that may turn or split the text around it: `invoice_` U+202E `fdp.exe` would be
 * shown as `invoice_exe.pdf`. Left out are ends of lines, and what joins or varies an emoji or a letter of a script
 * that needs it.
 */
const unseen =
  /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}](?<![\t\n\f\r]|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Lo}\p{M}][\uFE00-\uFE0F\u200C\u200D]|[\d#*]\uFE0F)/gu

/** The text as people are to see it: in place of each unseen character stands its number, such as `[U+202E]`. */
export const seenText = (text: string): string =>
  text.replaceAll(
    unseen,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
