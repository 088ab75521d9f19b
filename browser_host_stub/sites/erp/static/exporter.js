import { $, api, fromTemplate } from "./shell.js";

const POLL_MS = 80;
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Exporter {
  constructor(currentFilter) {
    this.button = $("#export-btn");
    this.status = $(".export-status");
    this.button.addEventListener("click", () => this.run(currentFilter()));
  }

  // The outcome of an earlier export says nothing about a new filter.
  forget() {
    if (!this.button.disabled) this.status.replaceChildren();
  }

  async run(filter) {
    this.button.disabled = true;
    const running = fromTemplate("progress-template");
    this.status.replaceChildren(running);
    try {
      const format = $("#export-format").value;
      let job = await api("/api/exports", { method: "POST", body: JSON.stringify({ ...filter, format }) });
      while (job.state === "running") {
        this.progress(running, job.progress);
        await pause(POLL_MS);
        job = await api(`/api/exports/${job.id}`);
      }
      if (job.state === "done") this.succeeded(job);
      else this.failed(job.error);
    } catch (error) {
      this.failed(error.message);
    } finally {
      this.button.disabled = false;
    }
  }

  progress(running, percent) {
    const bar = $(".export-progress", running);
    bar.setAttribute("aria-valuenow", percent);
    $("i", bar).style.width = `${percent}%`;
    $(".export-running-text", running).textContent = `正在生成文件… ${percent}%`;
  }

  succeeded(job) {
    const box = fromTemplate("success-template");
    $(".export-result", box).textContent = job.message;
    const link = $(".export-link", box);
    link.href = job.url;
    link.download = job.file_name;
    this.status.replaceChildren(box);
  }

  failed(message) {
    const box = fromTemplate("error-template");
    $("span", box).textContent = message;
    this.status.replaceChildren(box);
  }
}
