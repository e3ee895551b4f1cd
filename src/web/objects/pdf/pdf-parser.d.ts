/** The parsing half of pdf.js, which has no types. It registers itself globally for the other half. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs'
