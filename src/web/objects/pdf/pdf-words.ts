import { inBoth } from '../../words/language.tsx'

export const pdfWords = inBoth(
  {
    drawing: 'Loading page',
    pageOf: (name: string, number: number, count: number) =>
      `Page ${number.toLocaleString('en')} of ${count.toLocaleString('en')} of ${name}`,
    text: 'Text of this page',
    noText: 'This page contains no text, only an image.',
    undrawable: {
      form: 'This page cannot be shown. The file is damaged, or the preview does not support it. Download it instead.',
      passphrase: 'This PDF is protected by a pass phrase. Download it to open it.',
      time: 'This page takes more than 30 seconds to draw. Download the file to see it.',
    },
  },
  {
    drawing: 'Läser in sidan',
    pageOf: (name, number, count) => `Sida ${number.toLocaleString('sv')} av ${count.toLocaleString('sv')} i ${name}`,
    text: 'Sidans text',
    noText: 'Sidan innehåller ingen text, bara en bild.',
    undrawable: {
      form: 'Sidan kan inte visas. Filen är skadad, eller så stöds den inte av förhandsgranskningen. Ladda ner den i stället.',
      passphrase: 'PDF-filen är skyddad med en lösenfras. Ladda ner den för att öppna den.',
      time: 'Sidan tar mer än 30 sekunder att rita. Ladda ner filen för att se den.',
    },
  },
)
