/** Made by `vite/messages.ts`. */
declare module "virtual:messages/*" {
  const table: import("./i18n/messageTable").MessageTable;
  export default table;
}
