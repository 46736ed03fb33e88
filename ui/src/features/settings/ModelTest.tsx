/** Asks the model of the settings something short, so that a wrong address or key is found before a hook needs it. */
import { Square } from "lucide-react";
import { useRef } from "react";
import { Button, Elapsed, Note } from "@/components";
import { useRefused } from "@/domain/refused";
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import { call, type Reply, useCommand } from "@/ipc";
import { Line } from "./fields";

export function ModelTest() {
  const { t } = useTranslation();
  const say = useMessages();
  const refused = useRefused();
  const run = useRef("");
  const since = useRef(0);
  const test = useCommand("model.test");
  const start = () => {
    run.current = crypto.randomUUID();
    since.current = Date.now();
    test.mutate({ run: run.current });
  };
  return (
    <>
      <Line label={t("settings.modelTest")} about={t("settings.modelTestAbout")}>
        {test.isPending ? (
          <Button icon={Square} onClick={() => void call("fire.stop", { run: run.current }).catch(refused)}>
            {t("settings.modelTestStop")} <Elapsed since={since.current} />
          </Button>
        ) : (
          <Button onClick={start}>{t("settings.modelTestRun")}</Button>
        )}
      </Line>
      {test.isPending ? null : test.error ? (
        <Note kind="error" lead={say.fault(test.error).message} />
      ) : test.data ? (
        <Result result={test.data} />
      ) : null}
    </>
  );
}

function Result({ result }: { result: Reply<"model.test"> }) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const took = duration(result.took_ms);
  if (result.end === "stopped") return null;
  if (result.end !== "replied")
    return (
      <Note kind="error" lead={t(`settings.modelTestEnds.${result.end}`, { took })}>
        {result.error}
      </Note>
    );
  const { input_tokens: input, output_tokens: output } = result;
  return (
    <Note lead={t("settings.modelTestEnds.replied", { took })}>
      {result.text === null ? t("settings.modelTestEmpty") : <q>{result.text}</q>}{" "}
      {input === null || output === null ? null : t("settings.modelTestTokens", { input, output })}
    </Note>
  );
}
