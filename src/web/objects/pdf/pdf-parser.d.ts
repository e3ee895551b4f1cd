/** The half of pdf.js that reads files, which it publishes without types; the other half finds it where it lays itself down. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs'
