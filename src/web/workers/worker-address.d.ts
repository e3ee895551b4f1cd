/** The address of a worker, which Vite builds as a program of its own. */
declare module '*?worker&url' {
  const address: string
  export default address
}

/** W3C Trusted Types, as far as they are used here; a browser may be without. */
declare var trustedTypes:
  | {
      createPolicy(
        name: string,
        rules: { createScriptURL(text: string): string },
      ): { createScriptURL(text: string): string }
    }
  | undefined
