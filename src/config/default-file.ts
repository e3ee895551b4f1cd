/** Where every program looks for the configuration that `--config` does not name. */
export const defaultConfigFile = '/etc/strongroom/strongroom.json'
