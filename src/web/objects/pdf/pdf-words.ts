import { inBoth } from '../../words/spoken.tsx'

export const pdfWords = inBoth(
  {
    drawing: 'Drawing the page',
    pageOf: (name: string, number: number, count: number) =>
      `Page ${number.toLocaleString('en')} of ${count.toLocaleString('en')} of ${name}`,
    text: 'Text of this page',
    noText: 'This page holds no text: it is a picture.',
    undrawable: {
      form: 'This page cannot be shown: the file is damaged, or of a kind that the preview does not know. Download it.',
      passphrase: 'This PDF is protected by a pass phrase: download it to open it.',
      time: 'This page takes longer than 30 seconds to draw: download the file to see it.',
    },
  },
  {
    drawing: 'Sidan ritas',
    pageOf: (name, number, count) => `Sida ${number.toLocaleString('sv')} av ${count.toLocaleString('sv')} i ${name}`,
    text: 'Sidans text',
    noText: 'Sidan innehåller ingen text: den är en bild.',
    undrawable: {
      form: 'Sidan kan inte visas: filen är skadad, eller av ett slag som förhandsgranskningen inte känner till. Ladda ner den.',
      passphrase: 'Den här PDF-filen är skyddad med lösenfras: ladda ner den för att öppna den.',
      time: 'Sidan tar längre än 30 sekunder att rita: ladda ner filen för att se den.',
    },
  },
)
