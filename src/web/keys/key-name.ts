/** As the appliance names keys. */
export const isKeyName = (text: string | undefined): text is string =>
  text !== undefined && /^\w[\w.-]{0,127}$/.test(text)
