const joining = String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Khmer}\p{Script=Myanmar}`
const indic = [
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
]

/** Invisible characters that stay, with the character before them, which they join or vary. */
const needed = [
  String.raw`[\t\n\f\r]`,
  String.raw`[\p{Extended_Pictographic}\p{Script=Han}\d#*][\uFE00-\uFE0F]`,
  String.raw`\p{Script=Han}[\u{E0100}-\u{E01EF}]`,
  String.raw`\p{Script=Mongolian}[\u180B-\u180F]`,
  String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?\u200D`,
  String.raw`[${joining}${indic.map((script) => `\\p{Script=${script}}`).join('')}][\u200C\u200D]`,
  // The flags of England, Scotland and Wales.
  String.raw`\u{1F3F4}[\u{E0061}-\u{E007A}]{1,5}\u{E007F}?`,
]

/**
 * An invisible character, which may reverse or split the text around it: a browser would show `invoice_` U+202E
 * `fdp.exe` as `invoice_exe.pdf`.
 */
const unseen = new RegExp(
  String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}](?<!${needed.join('|')})`,
  'gu',
)

/** The text as people are to see it: each invisible character is replaced by its number, such as `[U+202E]`. */
export const seenText = (text: string): string =>
  text.replaceAll(
    unseen,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
