/** The address of a worker, which Vite builds as a separate program. */
declare module '*?worker&url' {
  const address: string
  export default address
}

/** The members of W3C Trusted Types that are used here. Some browsers lack them. */
declare var trustedTypes:
  | {
      createPolicy(
        name: string,
        rules: { createScriptURL(text: string): string },
      ): { createScriptURL(text: string): string }
    }
  | undefined
