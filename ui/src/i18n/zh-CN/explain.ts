import type en from "../en/explain";
import type { Same } from "../shape";

export default {
  title: "解释",
} satisfies Same<typeof en>;
