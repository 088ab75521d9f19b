layui.use(["form", "laydate", "layer", "tree", "util"], () => {
  const { $, form, laydate, layer, tree } = layui;
  const SLOTS = [];
  for (let minutes = 510; minutes < 1080; minutes += 30) SLOTS.push(`${String(Math.floor(minutes / 60)).padStart(2, "0")}:${minutes % 60 ? "30" : "00"}`);
  let day = demo.today;
  let rooms = [];
  let organisation = null;

  function row(room, bookings) {
    const cells = SLOTS.map((slot) => {
      const held = bookings.find((one) => one.room === room.id && one.start <= slot && slot < one.end);
      if (!held) return `<td class="slot-cell" data-room="${room.id}" data-slot="${slot}" data-kind="free" title="${room.name} ${slot}"></td>`;
      if (held.start !== slot) return "";
      const span = SLOTS.filter((one) => held.start <= one && one < held.end).length;
      const kind = held.organiser === "张敏" ? "mine" : "taken";
      return `<td class="slot-cell" colspan="${span}" data-kind="${kind}" data-booking="${held.id}" title="${held.start}-${held.end} ${oa.text(held.subject)}"><span>${oa.text(held.subject)}</span><em>${held.organiser}</em></td>`;
    });
    return `<tr data-room="${room.id}"><th><b>${room.name}</b><small>${room.floor} · ${room.seats} 座 · ${room.equipment}</small></th>${cells.join("")}</tr>`;
  }

  async function load() {
    const grid = $(".room-grid").attr("data-state", "loading");
    try {
      const answer = await demo.get("/api/rooms", { day });
      rooms = answer.rooms;
      const hours = SLOTS.map((slot) => `<td>${slot.endsWith("00") ? slot : ""}</td>`).join("");
      grid.html(`<table class="room-table"><thead><tr><th>会议室</th>${hours}</tr></thead><tbody>${rooms.map((room) => row(room, answer.bookings)).join("")}</tbody></table>`);
      grid.attr("data-state", "ready");
    } catch (error) {
      grid.attr("data-state", "failed");
      oa.failure(error);
    }
  }

  function show(other) {
    day = other;
    $("#room-day").val(day);
    load();
  }

  function shift(days) {
    const date = new Date(`${day}T00:00:00Z`);
    date.setUTCDate(date.getUTCDate() + days);
    show(date.toISOString().slice(0, 10));
  }

  async function book(room, slot) {
    organisation ??= (await demo.get("/api/people")).tree;
    const chosen = { participants: [] };
    const index = layer.open({
      type: 1, title: "预订会议室", area: ["520px", "560px"], content: document.getElementById("book-template").innerHTML,
      success: (box) => fill(box),
    });

    function fill(box) {
      box.find(".book-room").html(rooms.map((one) => `<option value="${one.id}" ${one.id === room ? "selected" : ""}>${one.name}（${one.seats} 座）</option>`));
      form.render("select", "book");
      const start = slot ?? "09:00";
      const end = SLOTS[SLOTS.indexOf(start) + 2] ?? "18:00";
      laydate.render({ elem: box.find("#book-day")[0], value: day, min: demo.today, position: "fixed" });
      laydate.render({ elem: box.find("#book-time")[0], type: "time", format: "HH:mm", range: true, value: `${start} - ${end}`, position: "fixed" });
      tree.render({
        elem: box.find(".people-tree"), id: "people", data: structuredClone(organisation), showCheckbox: true, showLine: false,
        oncheck: () => setTimeout(() => collect(box)),
      });
      box.find(".people-input").on("click", () => box.find(".people-panel").prop("hidden", (_, hidden) => !hidden));
      box.on("click", (event) => { if (!event.target.closest(".people-box")) box.find(".people-panel").prop("hidden", true); });
      box.find(".book-cancel").on("click", () => layer.close(index));
      box.find(".book-submit").on("click", () => send(box));
    }

    function collect(box) {
      const people = tree.getChecked("people").flatMap((department) => department.children ?? []);
      chosen.participants = people.map((one) => one.id);
      box.find(".people-input").val(people.map((one) => one.title.replace(/（.*/, "")).join("、"));
    }

    async function send(box) {
      const [start = "", end = ""] = box.find("#book-time").val().split(" - ");
      const wanted = { room: box.find(".book-room").val(), day: box.find("#book-day").val(), start, end, subject: box.find(".book-subject").val(), participants: chosen.participants };
      try {
        const answer = await demo.post("/api/bookings", wanted);
        layer.close(index);
        oa.success(answer.message);
        show(wanted.day);
      } catch (error) {
        box.find(".book-error").text(error.message);
      }
    }
  }

  function cancel(id) {
    layer.confirm("确定取消该会议预订吗？", { title: "取消预订", skin: "cancel-dialog" }, async (index) => {
      layer.close(index);
      try {
        oa.success((await demo.del(`/api/bookings/${id}`)).message);
        load();
      } catch (error) {
        oa.failure(error);
      }
    });
  }

  $(".room-grid").on("click", ".slot-cell", function () {
    if (this.dataset.kind === "free") book(this.dataset.room, this.dataset.slot);
    else if (this.dataset.kind === "mine") cancel(this.dataset.booking);
    else layer.tips(this.title, this);
  });
  $(".book-btn").on("click", () => book());
  $(".day-prev").on("click", () => shift(-1));
  $(".day-next").on("click", () => shift(1));
  laydate.render({ elem: "#room-day", value: day, done: show });
  load();
});
